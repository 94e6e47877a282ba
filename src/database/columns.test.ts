import { describe, expect, it } from 'vitest';
import { instant } from '../base/time.js';
import { Columns } from './columns.js';
import { openDatabase, type Sql } from './database.js';

interface Model {
  readonly id: string;
  readonly last4: string | null;
  readonly createdAt: number;
  readonly isPaid: boolean;
  readonly refundIds: readonly string[];
  readonly errors: readonly object[] | null;
  readonly cardDetails: string | null;
}

const COLUMNS = new Columns<Model>({
  id: { column: 'payment_id', as: 'value' },
  last4: 'value',
  createdAt: 'time',
  isPaid: 'value',
  refundIds: 'value',
  errors: 'json',
  cardDetails: 'json text',
});

const MODEL: Model = {
  id: 'P1',
  last4: '1111',
  createdAt: instant(0),
  isPaid: false,
  refundIds: ['R1'],
  errors: [{ code: 'A "B"' }],
  cardDetails: '{"card":{}}',
};

const NOTHING = { last4: null, errors: null, cardDetails: null } as const;

/** The text of a fragment. Nothing is sent. */
function textOf(make: (sql: Sql) => unknown): string {
  const { sql } = openDatabase('postgres://nobody@127.0.0.1:1/none');
  const { strings } = make(sql) as { readonly strings: readonly string[] };
  return strings.join('');
}

describe('columns', () => {
  it('are named like the fields, unless they have another name', () => {
    expect(textOf((sql) => COLUMNS.names(sql))).toBe(
      'payment_id, last_4, created_at, is_paid, refund_ids, errors, card_details',
    );
  });

  it('are selected under the names of the fields, and JSON as text if the model has it as text', () => {
    expect(textOf((sql) => COLUMNS.select(sql))).toBe(
      'payment_id as id, last_4, created_at, is_paid, refund_ids, errors, card_details::text',
    );
  });

  it('give the cells of a row in their own order', () => {
    expect(COLUMNS.toCells(MODEL)).toEqual([
      'P1',
      '1111',
      '1970-01-01T00:00:00.000Z',
      false,
      ['R1'],
      '[{"code":"A \\"B\\""}]',
      '{"card":{}}',
    ]);
    expect(COLUMNS.toCells({ ...MODEL, ...NOTHING })).toEqual([
      'P1',
      null,
      '1970-01-01T00:00:00.000Z',
      false,
      ['R1'],
      null,
      null,
    ]);
  });

  it('give a row as JSON that is named like the columns', () => {
    expect(JSON.parse(COLUMNS.toRow(MODEL))).toEqual({
      payment_id: 'P1',
      last_4: '1111',
      created_at: '1970-01-01T00:00:00.000Z',
      is_paid: false,
      refund_ids: ['R1'],
      errors: [{ code: 'A "B"' }],
      card_details: { card: {} },
    });
  });

  it('leave nulls out of the JSON of a row', () => {
    expect(COLUMNS.toRow({ ...MODEL, ...NOTHING })).toBe(
      '{"payment_id":"P1","created_at":"1970-01-01T00:00:00.000Z","is_paid":false,"refund_ids":["R1"]}',
    );
    expect(COLUMNS.toRow({ last4: '1111' })).toBe('{"last_4":"1111"}');
    expect(COLUMNS.toRow({})).toBe('{}');
  });
});
