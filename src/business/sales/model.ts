/** What a sale is: what v1 calls a payment, paid by one or several Payments, which v1 calls its tenders. */
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, add, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';

/**
 * How a sale came about: an application charged a card, a register rang it up, or a shopper placed an order in an online
 * store. The payments of a sale come through the channel of the same name.
 */
export type SaleKind = 'API' | 'REGISTER' | 'ONLINE_STORE';

export type SaleState = 'OPEN' | 'COMPLETED' | 'CANCELED';
export type SaleAction = 'TAKE_TENDER' | 'CANCEL';

/** What may be done to a sale; taking the last tender completes it. */
export const SALE_ACTIONS: Readonly<Record<SaleState, Readonly<Record<SaleAction, 'possible' | 'refused'>>>> = {
  OPEN: { TAKE_TENDER: 'possible', CANCEL: 'possible' },
  COMPLETED: { TAKE_TENDER: 'refused', CANCEL: 'refused' },
  CANCELED: { TAKE_TENDER: 'refused', CANCEL: 'refused' },
};

/** A sale that a register rang up. One of the API has nothing but its one payment. */
export interface Sale {
  readonly kind: 'REGISTER';
  /** The register's handle; what v1 calls it is `v1IdOf`. */
  readonly id: string;
  readonly locationId: string;
  readonly state: SaleState;
  /** Where v1 lists it: the first tender's time while it is open, the last one's then (contract 18); when it was rung up, if it is free. */
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
  /** In the order of taking. */
  readonly tenderIds: readonly string[];
}

/** The sale of an online order: what no register says. */
export type OnlineSale = Omit<Sale, 'kind' | 'deviceId' | 'deviceName' | 'employeeId' | 'registerSaleId'> & {
  readonly kind: 'ONLINE_STORE';
};

export function unpaid({ due, paid }: Pick<Sale, 'due' | 'paid'>): Amount {
  return subtract(due, paid);
}

/** What v1 calls it (decision 0014), once it is there for v1. */
export function v1IdOf({ id, createdAt, tenderIds }: Pick<Sale, 'id' | 'createdAt' | 'tenderIds'>): string | undefined {
  return createdAt === null ? undefined : (tenderIds[0] ?? id);
}

export function requireSaleAction({ id, state }: Pick<Sale, 'id' | 'state'>, action: SaleAction): void {
  if (SALE_ACTIONS[state][action] === 'possible') return;
  const wish = action === 'TAKE_TENDER' ? 'no tender can be taken for it' : 'it cannot be cancelled';
  throw new Refusal('WRONG_STATE', { detail: `Sale ${id} is ${state}, so ${wish}.` });
}

/** Where and when a sale is rung up, and by whom. */
export interface RingingUp {
  readonly ids: Ids;
  readonly device: { readonly id: string; readonly name: string; readonly locationId: string };
  readonly employeeId: string;
  readonly registerSaleId: string;
  readonly at: Instant;
}

/** A new sale, of which nothing is paid yet. Its cards show its id as their order's (decision 0014). */
export function ringUp(due: Amount, { ids, device, employeeId, registerSaleId, at }: RingingUp): Sale {
  return {
    kind: 'REGISTER',
    id: newOrderId(ids),
    locationId: device.locationId,
    state: 'OPEN',
    createdAt: null,
    deviceId: device.id,
    deviceName: device.name,
    employeeId,
    registerSaleId,
    rungUpAt: at,
    due,
    paid: ZERO,
    tenderIds: [],
  };
}

/** What a sale needs to know of a payment. */
export interface TakenTender {
  readonly id: string;
  readonly amount: Amount;
  readonly capturedAt: Instant | null;
}

type Paying = Pick<Sale, 'state' | 'createdAt' | 'due' | 'paid' | 'tenderIds'>;

/** The sale with one more tender, if that was captured: the same as `updateSaleWithTender` makes of its row. */
export function withTender<Any extends Paying>(sale: Any, { id, amount, capturedAt }: TakenTender): Any {
  if (capturedAt === null) return sale;
  const paid = add(sale.paid, amount);
  const isPaid = paid === sale.due;
  return {
    ...sale,
    paid,
    tenderIds: [...sale.tenderIds, id],
    state: isPaid ? 'COMPLETED' : sale.state,
    createdAt: isPaid ? capturedAt : (sale.createdAt ?? capturedAt),
  };
}

/** Refunds have an order of their own, as sales have. */
export function newOrderId(ids: Ids): string {
  return ids.newId(28);
}
