/** Sales and their states. v1 calls a sale a payment, and its payments tenders. Pure. */
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, add, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';

/**
 * How a sale was created: an application charged a card, a register rang it up, or a shopper placed an order in an online
 * store. The channel of its payments has the same name.
 */
export type SaleKind = 'API' | 'REGISTER' | 'ONLINE_STORE';

export type SaleState = 'OPEN' | 'COMPLETED' | 'CANCELED';
export type SaleAction = 'TAKE_TENDER' | 'EDIT' | 'CANCEL';

/** The actions that each state allows. The last tender completes a sale. */
export const SALE_ACTIONS: Readonly<Record<SaleState, Readonly<Record<SaleAction, 'possible' | 'refused'>>>> = {
  OPEN: { TAKE_TENDER: 'possible', EDIT: 'possible', CANCEL: 'possible' },
  COMPLETED: { TAKE_TENDER: 'refused', EDIT: 'refused', CANCEL: 'refused' },
  CANCELED: { TAKE_TENDER: 'refused', EDIT: 'refused', CANCEL: 'refused' },
};

/** A sale that a register rang up. A sale of the API has only its one payment. */
export interface Sale {
  readonly kind: 'REGISTER';
  /** The id that the register surface uses. A split sale has it in v1 too (`v1IdOf`). */
  readonly id: string;
  readonly locationId: string;
  readonly state: SaleState;
  /**
   * The time by which v1 lists the sale: of the first tender while the sale is open, of the last tender afterwards (contract
   * 18). For a free sale, the time when it was rung up.
   */
  readonly createdAt: Instant | null;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly employeeId: string;
  /** The id that the register chose for it. */
  readonly registerSaleId: string;
  /** A name that the register gave it, such as "Table 4". */
  readonly label: string | null;
  readonly rungUpAt: Instant;
  /** The total without tips. */
  readonly due: Amount;
  readonly paid: Amount;
  /** In the order in which they were taken. */
  readonly tenderIds: readonly string[];
}

/** The sale of an online order: the same without the fields of a register. */
export type OnlineSale = Omit<Sale, 'kind' | 'deviceId' | 'deviceName' | 'employeeId' | 'registerSaleId' | 'label'> & {
  readonly kind: 'ONLINE_STORE';
};

export function unpaid({ due, paid }: Pick<Sale, 'due' | 'paid'>): Amount {
  return subtract(due, paid);
}

/**
 * The id in v1 (decision 0014): that of the only tender of a sale that is not split. `v1_id` of tenders/functions.sql is the same rule for SQL; it also
 * knows the sales that an edit has completed.
 */
export function v1IdOf({ id, due, paid, tenderIds }: Pick<Sale, 'id' | 'due' | 'paid' | 'tenderIds'>): string {
  const [only, ...others] = tenderIds;
  return only !== undefined && others.length === 0 && paid === due ? only : id;
}

/** The id in the address of a sale's receipt, and at its end the receipt number: that of the first tender. A free sale has its own. */
export function receiptIdOf(saleId: string, [firstTenderId]: readonly string[]): string {
  return firstTenderId ?? saleId;
}

export function requireSaleAction({ id, state }: Pick<Sale, 'id' | 'state'>, action: SaleAction): void {
  if (SALE_ACTIONS[state][action] === 'possible') return;
  throw new Refusal('WRONG_STATE', { detail: `Sale ${id} is ${state}, so ${REFUSED_ACTIONS[action]}.` });
}

const REFUSED_ACTIONS: Readonly<Record<SaleAction, string>> = {
  TAKE_TENDER: 'no tender can be taken for it',
  EDIT: 'it cannot be edited',
  CANCEL: 'it cannot be canceled',
};

/** An open sale can be edited as long as its total covers what is paid, and what cards may still pay (decision 0153). */
export function requireCoveredTotal(due: Amount, { paid, reserved }: { paid: Amount; reserved: Amount }): void {
  const taken = add(paid, reserved);
  if (due >= taken) return;
  throw new Refusal('CONFLICT', {
    field: 'itemizations',
    detail: `The total would be ${due}, but ${taken} is already paid. Cancel the sale, or refund it when it is complete.`,
  });
}

/** Where and when a sale is rung up, and by whom. */
export interface RingUpContext {
  readonly ids: Ids;
  readonly device: { readonly id: string; readonly name: string; readonly locationId: string };
  readonly employeeId: string;
  readonly registerSaleId: string;
  readonly label?: string | null;
  readonly at: Instant;
}

/** A new, unpaid sale. Its id is the order id of its card payments (decision 0014). */
export function toNewSale(
  due: Amount,
  { ids, device, employeeId, registerSaleId, label = null, at }: RingUpContext,
): Sale {
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
    label,
    rungUpAt: at,
    due,
    paid: ZERO,
    tenderIds: [],
  };
}

/** The fields of an order that its sale uses. */
interface OrderedSale {
  readonly saleId: string;
  readonly locationId: string;
  readonly createdAt: Instant;
  readonly total: Amount;
}

/** The new, unpaid sale of an online order. */
export function toNewOnlineSale({ saleId: id, locationId, createdAt, total }: OrderedSale): OnlineSale {
  return {
    kind: 'ONLINE_STORE',
    id,
    locationId,
    state: 'OPEN',
    createdAt: null,
    rungUpAt: createdAt,
    due: total,
    paid: ZERO,
    tenderIds: [],
  };
}

/** The fields of a payment that a sale uses. */
export interface SaleTender {
  readonly id: string;
  readonly amount: Amount;
  readonly capturedAt: Instant | null;
}

type PayableSale = Pick<Sale, 'state' | 'createdAt' | 'due' | 'paid' | 'tenderIds'>;

/** An open sale with one more tender, if that is captured. Must do the same as `add_tender_to_sale` does to the row. */
export function withTender<Any extends PayableSale>(sale: Any, { id, amount, capturedAt }: SaleTender): Any {
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

/** A new order id. Refunds have one of their own, like sales. */
export function newOrderId(ids: Ids): string {
  return ids.newId(28);
}
