/** Paid sales: a sale with its tenders and refunds. v1 calls it a payment, v2 a transaction. Pure. */
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

/** A pending or completed refund of one of its tenders. */
export type TenderRefund = Omit<SaleRefund, 'v1Id' | 'fee' | 'total'>;

export interface PaidSale {
  /** The id in v1 (decision 0014). */
  readonly id: string;
  readonly locationId: string;
  readonly kind: SaleKind;
  /** Whether the sale is open or canceled, so that its tenders do not cover the total. */
  readonly isPartial: boolean;
  readonly createdAt: Instant;
  /** Null without a register. */
  readonly deviceId: string | null;
  readonly deviceName: string | null;
  /** Null if `v1Receipt` is set. A payment of the API has neither. */
  readonly receipt: Receipt | null;
  /** The stored copy of the receipt as v1 shows it. Null if the copy has another version. */
  readonly v1Receipt: string | null;
  /** In the order in which they were taken. */
  readonly tenders: readonly Tender[];
  readonly refunds: readonly TenderRefund[];
}

/** The sums of contract 18 that depend on tenders and refunds, with the signs of v1. */
export interface SaleSums {
  /** Without tips. */
  readonly paid: Amount;
  readonly tip: Amount;
  readonly collected: Amount;
  readonly fee: Amount;
  readonly net: Amount;
  readonly refunded: Amount;
}

export function computeSaleSums({ tenders, refunds }: Pick<PaidSale, 'tenders' | 'refunds'>): SaleSums {
  const collected = add(...tenders.map(({ total }) => total));
  const tip = add(...tenders.map((tender) => tender.tip ?? ZERO));
  const fee = negate(add(...tenders.map((tender) => tender.fee ?? ZERO)));
  return {
    paid: subtract(collected, tip),
    tip,
    collected,
    fee,
    net: add(collected, fee),
    refunded: sumRefunds(refunds),
  };
}

/** Never positive, because refunds reduce what the merchant receives. */
export function sumRefunds(refunds: readonly Pick<TenderRefund, 'amount'>[]): Amount {
  return negate(add(...refunds.map(({ amount }) => amount)));
}
