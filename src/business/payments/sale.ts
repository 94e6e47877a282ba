/** What a sale is: what v1 calls a payment, paid by one or several Payments, which v1 calls its tenders. */
import { Refusal } from '../../base/errors.js';
import type { JsonText } from '../../base/json.js';
import { type Amount, subtract } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { ReceiptWords } from './v1.receipt.js';

export type SaleState = 'OPEN' | 'COMPLETED' | 'CANCELED';
export type SaleAction = 'TAKE_TENDER' | 'CANCEL';

/** What may be done to a sale; taking the last tender completes it. */
export const SALE_ACTIONS: Readonly<Record<SaleState, Readonly<Record<SaleAction, 'possible' | 'refused'>>>> = {
  OPEN: { TAKE_TENDER: 'possible', CANCEL: 'possible' },
  COMPLETED: { TAKE_TENDER: 'refused', CANCEL: 'refused' },
  CANCELED: { TAKE_TENDER: 'refused', CANCEL: 'refused' },
};

/** A sale that a register made. One of the API has nothing but its one payment. */
export interface Sale {
  readonly id: string;
  readonly locationId: string;
  readonly state: SaleState;
  /** Where v1 lists it: the first tender's time while it is open, the last one's then (facts 8). */
  readonly createdAt: Instant | null;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly employeeId: string;
  /** The register's own id. */
  readonly registerSaleId: string;
  readonly rungUpAt: Instant;
  /** Without tips. */
  readonly due: Amount;
  readonly paid: Amount;
  /** In the words of v1: written once, copied out when read. */
  readonly receipt: JsonText<ReceiptWords>;
  /** In the order of taking. */
  readonly tenderIds: readonly string[];
}

export function unpaid({ due, paid }: Pick<Sale, 'due' | 'paid'>): Amount {
  return subtract(due, paid);
}

export function requireSaleAction({ id, state }: Pick<Sale, 'id' | 'state'>, action: SaleAction): void {
  if (SALE_ACTIONS[state][action] === 'possible') return;
  const wish = action === 'TAKE_TENDER' ? 'no tender can be taken for it' : 'it cannot be cancelled';
  throw new Refusal('WRONG_STATE', { detail: `Sale ${id} is ${state}, so ${wish}.` });
}
