import { describe, expect, it } from 'vitest';
import { amount } from '../../base/money.js';
import { instant } from '../../base/time.js';
import type { ProcessorRecord } from '../../processor/contract.js';
import { compare, type OwnRecord, paymentState } from './model.js';

const own = (change: Partial<OwnRecord> = {}): OwnRecord => ({
  type: 'payment',
  paymentId: 'p1',
  key: 'M1:p1:CREATE',
  state: 'captured',
  amount: amount(1000),
  currency: 'USD',
  fee: amount(24),
  createdAt: instant(0),
  ...change,
});

const theirs = (change: Partial<ProcessorRecord> = {}) =>
  ({ ...own(), id: 'rec_1', merchantId: 'M1', ...change }) as ProcessorRecord;

const kindsOf = (ours: readonly OwnRecord[], records: readonly ProcessorRecord[]) =>
  compare('M1', ours, records).map(({ kind }) => kind);

describe('compare', () => {
  it.each([
    ['equal records', own(), theirs(), []],
    ['another amount', own({ amount: amount(1001) }), theirs(), ['AMOUNT']],
    ['another currency', own(), theirs({ currency: 'EUR' }), ['AMOUNT']],
    ['another amount and fee', own({ amount: amount(1), fee: amount(1) }), theirs(), ['AMOUNT', 'FEE']],
    ['another state', own({ state: 'authorized' }), theirs(), ['STATE']],
    ['a charge that we call declined', own({ state: 'declined' }), theirs(), ['STATE']],
    ['a charge whose outcome we do not know', own({ state: 'unknown' }), theirs(), ['STATE']],
    ['no record there', own(), undefined, ['MISSING_THERE']],
    ['no record here', undefined, theirs(), ['MISSING_HERE']],
    ['a record that was no call', undefined, theirs({ key: undefined }), ['MISSING_HERE']],
    ['a declined charge without a record', own({ state: 'declined' }), undefined, []],
    ['a pending refund without a record', own({ type: 'refund', state: 'pending' }), undefined, []],
    ['a voided record that we do not have', undefined, theirs({ type: 'payment', state: 'voided' }), []],
    ['a fee of a reserved amount', own({ state: 'authorized' }), theirs({ state: 'authorized', fee: amount(9) }), []],
  ] as const)('of %s', (_what, ours, record, kinds) => {
    expect(kindsOf(ours ? [ours] : [], record ? [record] : [])).toEqual(kinds);
  });

  it('finds a charge that was made twice', () => {
    const twice = compare('M1', [own()], [theirs(), theirs({ id: 'rec_2' })]);
    expect(twice).toMatchObject([{ kind: 'DUPLICATE', recordId: 'rec_2', theirs: 'captured 1000 USD' }]);
  });

  it('takes a payment that was captured and then canceled as captured', () => {
    expect(paymentState('CANCELED', true)).toBe('captured');
    expect(paymentState('CANCELED', false)).toBe('voided');
  });
});
