/** The steps that a change sends. What they do to rows is in test/change.test.ts. */
import { describe, expect, it } from 'vitest';
import { Change, json } from './change.js';
import type { Sql } from './sql.js';
import { Table } from './table.js';

interface Parcel {
  readonly id: string;
  readonly state: string;
  readonly weight: number | null;
  readonly label: string | null;
}

const parcels = new Table<Parcel>('parcels', {
  key: ['id'],
  columns: { id: { column: 'parcel_id', as: 'value' }, state: 'value', weight: 'value', label: 'value' },
});

const stocks = new Table<{ readonly id: string; readonly name: string; readonly count: number }, 'count'>('stocks', {
  key: ['id'],
  columns: { id: 'value', name: 'value', count: 'value' },
  sums: ['count'],
});

const PARCEL: Parcel = { id: 'A', state: 'NEW', weight: 3, label: null };
const READ = { ...PARCEL, version: '7' };

/** The steps that a change sends. */
async function stepsOf(work: (change: Change) => void): Promise<unknown[]> {
  const sent: unknown[][] = [];
  const sql = (first: unknown, ...values: unknown[]) => {
    if (Array.isArray(first)) sent.push(values);
    return Promise.resolve([]);
  };
  const change = new Change('MERCHANT', sql as unknown as Sql);
  work(change);
  await change.apply();
  return sent.flatMap((values) => {
    const [calls = [], printed = []] = [String(values.at(-2)).split(','), String(values.at(-1)).split('\n')];
    return calls.map((call, index) => ({ call, with: JSON.parse(printed[index] ?? '') }));
  });
}

describe('the steps of a change', () => {
  it('insert a row once, with all that is saved after that', async () => {
    const steps = await stepsOf((change) => {
      change.insert(parcels, PARCEL);
      change.call('print_label', { id: 'A' });
      const sent = { ...PARCEL, state: 'SENT', weight: null };
      change.save(parcels, PARCEL, sent);
      change.touch(parcels, { id: 'A' });
      change.save(parcels, sent, { ...sent, label: 'Mine' });
    });
    expect(steps).toEqual([
      { call: 'insert_parcels', with: { parcel_id: 'A', state: 'SENT', label: 'Mine' } },
      { call: 'print_label', with: { id: 'A' } },
    ]);
  });

  it('save a row once, with the last of several values', async () => {
    const steps = await stepsOf((change) => {
      change.dependOn(parcels, READ);
      change.save(parcels, READ, { ...PARCEL, state: 'SENT', weight: null });
      change.save(parcels, { ...PARCEL, state: 'SENT', weight: null }, { ...PARCEL, state: 'LOST', weight: null });
    });
    expect(steps).toEqual([{ call: 'save_parcels', with: { parcel_id: 'A', state: 'LOST', weight: null } }]);
  });

  it('do not change a value that only an earlier save has changed', async () => {
    const steps = await stepsOf((change) => {
      change.dependOn(parcels, READ);
      change.save(parcels, READ, { ...PARCEL, weight: 4 });
      change.save(parcels, READ, { ...PARCEL, label: 'Mine' });
    });
    expect(steps).toEqual([{ call: 'save_parcels', with: { parcel_id: 'A', weight: 4, label: 'Mine' } }]);
  });

  it('are none for a row that does not differ', async () => {
    const steps = await stepsOf((change) => {
      change.dependOn(parcels, READ);
      change.save(parcels, READ, { ...PARCEL });
    });
    expect(steps).toEqual([]);
  });

  it('give a row a new version', async () => {
    const steps = await stepsOf((change) => change.touch(parcels, { id: 'A' }));
    expect(steps).toEqual([{ call: 'save_parcels', with: { parcel_id: 'A' } }]);
  });

  it('are separate for each row', async () => {
    const steps = await stepsOf((change) => {
      change.insert(parcels, PARCEL);
      change.insert(parcels, { ...PARCEL, id: 'B' });
      change.save(parcels, { id: 'B', weight: 3 }, { id: 'B', weight: 5 });
    });
    expect(steps).toMatchObject([{ with: { parcel_id: 'A', weight: 3 } }, { with: { parcel_id: 'B', weight: 5 } }]);
  });

  it('save a row again after something was added to it', async () => {
    const steps = await stepsOf((change) => {
      change.dependOn(stocks, { id: 'A', version: '7' });
      change.save(stocks, { id: 'A', name: 'One' }, { id: 'A', name: 'Two' });
      change.add(stocks, { id: 'A' }, { count: 1 });
      change.save(stocks, { id: 'A', name: 'Two' }, { id: 'A', name: 'Three' });
    });
    expect(steps).toEqual([
      { call: 'save_stocks', with: { id: 'A', name: 'Two' } },
      { call: 'add_stocks', with: { id: 'A', count: 1 } },
      { call: 'save_stocks', with: { id: 'A', name: 'Three' } },
    ]);
  });

  it('are refused for a row that the change neither read nor inserted', async () => {
    const saving = stepsOf((change) => change.save(parcels, PARCEL, { ...PARCEL, weight: 4 }));
    await expect(saving).rejects.toThrow('does not depend on the row of parcels');
  });

  it('pass JSON on as it is, and leave out nulls', async () => {
    const steps = await stepsOf((change) => change.call('print_label', { id: null, row: json('{"a":[1]}') }));
    expect(steps).toEqual([{ call: 'print_label', with: { row: { a: [1] } } }]);
  });
});
