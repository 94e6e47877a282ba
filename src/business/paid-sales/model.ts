/** What v1 calls a payment: a sale with the tenders that paid it and the refunds that gave some of it back. */
import { type Amount, add, negate, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Payment } from '../payments/model.js';
import type { Receipt } from '../receipts/model.js';
import type { SaleRefund } from '../refunds/model.js';
import type { SaleKind } from '../sales/model.js';

/** A captured payment of the sale. */
export type Tender = Pick<
  Payment,
  | 'id'
  | 'sourceType'
  | 'amount'
  | 'tip'
  | 'total'
  | 'fee'
  | 'employeeId'
  | 'entryMethod'
  | 'tendered'
  | 'tenderName'
  | 'isExchange'
  | 'cardBrand'
  | 'last4'
> & {
  readonly capturedAt: Instant;
  readonly note: string | null;
};

/** A refund of one of its tenders that gave or will give something back. */
export type TenderRefund = Omit<SaleRefund, 'v1Id' | 'fee' | 'total'>;

export interface PaidSale {
  /** Its first tender's, or its own where it cost nothing (decision 0014). */
  readonly id: string;
  readonly locationId: string;
  readonly kind: SaleKind;
  /** Its last tender was not taken, or not yet. */
  readonly isPartial: boolean;
  readonly createdAt: Instant;
  /** Null where no register was there. */
  readonly deviceId: string | null;
  readonly deviceName: string | null;
  /** What was sold, unless the copy below says it; a payment of the API has neither. */
  readonly receipt: Receipt | null;
  /** The receipt as v1 shows it: null where the copy that is stored is of another version. */
  readonly v1Receipt: string | null;
  /** In the order of taking. */
  readonly tenders: readonly Tender[];
  readonly refunds: readonly TenderRefund[];
}

/** Sums of contract 18 that change with its tenders and refunds; signed as v1 shows them. */
export interface SaleSums {
  /** Without tips. */
  readonly paid: Amount;
  readonly tip: Amount;
  readonly collected: Amount;
  readonly fee: Amount;
  readonly net: Amount;
  readonly refunded: Amount;
}

export function sumUp({ tenders, refunds }: Pick<PaidSale, 'tenders' | 'refunds'>): SaleSums {
  const collected = add(...tenders.map(({ total }) => total));
  const tip = add(...tenders.map((tender) => tender.tip ?? ZERO));
  const fee = negate(add(...tenders.map((tender) => tender.fee ?? ZERO)));
  return {
    paid: subtract(collected, tip),
    tip,
    collected,
    fee,
    net: add(collected, fee),
    refunded: givenBack(refunds),
  };
}

/** Never positive: it lowers what the merchant takes. */
export function givenBack(refunds: readonly Pick<TenderRefund, 'amount'>[]): Amount {
  return negate(add(...refunds.map(({ amount }) => amount)));
}
