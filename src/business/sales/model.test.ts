import { describe, expect, it } from 'vitest';
import { Refusal } from '../../base/errors.js';
import { realIds } from '../../base/ids.js';
import { toJson } from '../../base/json.js';
import { amount } from '../../base/money.js';
import { instant } from '../../base/time.js';
import {
  asCanceled,
  asFree,
  nextSaleState,
  SALE_TRANSITIONS,
  type Sale,
  type SaleAction,
  type SaleState,
  toNewSale,
  v1IdOf,
  withTender,
  withTotal,
} from './model.js';

const STATES: readonly SaleState[] = ['OPEN', 'COMPLETED', 'CANCELED'];
const ACTIONS: readonly SaleAction[] = ['TAKE_TENDER', 'EDIT', 'CANCEL', 'COMPLETE_FREE', 'PAY'];

/** The states of a sale, repeated here independently of the code. A dash is a refusal. */
const TABLE = `
           TAKE_TENDER  EDIT  CANCEL    COMPLETE_FREE  PAY
OPEN       OPEN         OPEN  CANCELED  COMPLETED      COMPLETED
COMPLETED  -            -     -         -              COMPLETED
CANCELED   -            -     -         -              CANCELED
`
  .trim()
  .split('\n')
  .slice(1)
  .map((row) => row.split(/ +/));

describe('SALE_TRANSITIONS', () => {
  const cells = TABLE.flatMap(([state = '', ...ends]) => ACTIONS.map((action, n) => [state, action, ends[n]] as const));

  it('has a cell for every state and action', () => {
    expect(TABLE.map(([state]) => state)).toEqual(STATES);
    expect(Object.keys(SALE_TRANSITIONS)).toEqual(STATES);
    for (const row of Object.values(SALE_TRANSITIONS)) expect(Object.keys(row).sort()).toEqual([...ACTIONS].sort());
  });

  it.each(cells)('%s, %s: %s', (state, action, end) => {
    const sale = { id: 'SALE', state: state as SaleState };
    if (end !== '-') return expect(nextSaleState(sale, action)).toBe(end);
    expect(() => nextSaleState(sale, action)).toThrow(Refusal);
    expect(() => nextSaleState(sale, action)).toThrow(`Sale SALE is ${state}, so `);
  });
});

const [FIRST, LATER] = [instant(1_000), instant(2_000)];
const LINES = toJson({});

function saleOf(due: number, changed: Partial<Sale> = {}): Sale {
  const device = { id: 'DEVICE', name: 'Till 1', locationId: 'LOCATION' };
  const context = { ids: realIds, device, employeeId: 'EMPLOYEE', registerSaleId: 'OWN', at: FIRST };
  return { ...toNewSale(amount(due), context), openLines: LINES, ...changed };
}

const tender = (id: string, units: number, capturedAt = FIRST) => ({ id, amount: amount(units), capturedAt });

describe('withTender', () => {
  it('does not change the sale if the tender was declined', () => {
    const sale = saleOf(1000);
    expect(withTender(sale, { ...tender('A', 1000), capturedAt: null })).toBe(sale);
  });

  it('keeps a sale open that is paid in part, with the time of its first tender and its lines', () => {
    const partial = withTender(withTender(saleOf(1000), tender('A', 300)), tender('B', 300, LATER));
    const expected = { state: 'OPEN', paid: 600, tenderIds: ['A', 'B'], createdAt: FIRST, openLines: LINES };
    expect(partial).toMatchObject(expected);
  });

  it('completes the sale at the time of the last tender, and removes its lines', () => {
    const paid = withTender(withTender(saleOf(1000), tender('A', 300)), tender('B', 700, LATER));
    expect(paid).toMatchObject({ state: 'COMPLETED', paid: 1000, createdAt: LATER, openLines: null });
  });

  it('keeps a canceled sale canceled, although the tender that was in flight pays it', () => {
    const late = withTender(asCanceled(saleOf(1000)), tender('A', 1000));
    expect(late).toMatchObject({ state: 'CANCELED', paid: 1000, tenderIds: ['A'], createdAt: FIRST });
  });

  it('adds a second tip to a free sale that the first one has completed', () => {
    const tipped = withTender(withTender(saleOf(0), tender('A', 0)), tender('B', 0, LATER));
    expect(tipped).toMatchObject({ state: 'COMPLETED', paid: 0, tenderIds: ['A', 'B'], createdAt: LATER });
  });
});

describe('withTotal', () => {
  const partial = withTender(saleOf(1000), tender('A', 600));

  it('leaves a sale open that is not paid by its tenders', () => {
    expect(withTotal(partial, amount(700), LATER)).toEqual({ ...partial, due: 700 });
    expect(withTotal(saleOf(1000), amount(0), LATER)).toMatchObject({ state: 'OPEN', due: 0, createdAt: null });
  });

  it('completes a sale whose tenders pay the new total', () => {
    const paid = withTotal(partial, amount(600), LATER);
    expect(paid).toMatchObject({ state: 'COMPLETED', createdAt: LATER, openLines: null, keepsOwnId: true });
    const split = withTotal(withTender(partial, tender('B', 100)), amount(700), LATER);
    expect(split).toMatchObject({ state: 'COMPLETED', keepsOwnId: null });
  });
});

describe('asFree', () => {
  it('completes an open sale once', () => {
    const free = asFree(saleOf(0), LATER);
    expect(free).toMatchObject({ state: 'COMPLETED', createdAt: LATER, openLines: null, tenderIds: [] });
    expect(() => asFree(free, LATER)).toThrow(Refusal);
  });
});

describe('v1IdOf', () => {
  const paid = withTender(saleOf(1000), tender('A', 1000));
  const partial = withTender(saleOf(1000), tender('A', 600));
  const split = withTender(partial, tender('B', 400));
  const covered = withTotal(partial, amount(600), LATER);
  const tipped = withTender(covered, tender('TIP', 0, LATER));

  it.each<[string, Sale, boolean]>([
    ['its only tender', paid, true],
    ['the sale, without a tender', asFree(saleOf(0), FIRST), false],
    ['the sale, paid in part', partial, false],
    ['the sale, with two tenders', split, false],
    ['the sale, paid by an edit', covered, false],
    ['the sale, paid by an edit, with a late tip', tipped, false],
  ])('is the id of %s', (_, sale, isOfTender) => {
    expect(v1IdOf(sale)).toBe(isOfTender ? 'A' : sale.id);
  });
});
