/** Sales and their states. v1 calls a sale a payment, and its payments tenders. Pure. */
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import type { JsonText } from '../../base/json.js';
import { type Amount, add, subtract, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';

/**
 * How a sale was created: an application charged a card, a register rang it up, or a shopper placed an order in an online
 * store. The channel of its payments has the same name.
 */
export type SaleKind = 'API' | 'REGISTER' | 'ONLINE_STORE';

export type SaleState = 'OPEN' | 'COMPLETED' | 'CANCELED';

/** `PAY`: the tenders have reached the total. The money of a card in flight arrives in any state. */
export type SaleAction = 'TAKE_TENDER' | 'EDIT' | 'CANCEL' | 'COMPLETE_FREE' | 'PAY';

/** A sale that was canceled while a tender was in flight stays canceled. The tender is refunded afterwards. */
export const SALE_TRANSITIONS: Readonly<Record<SaleState, Readonly<Record<SaleAction, SaleState | 'refused'>>>> = {
  OPEN: { TAKE_TENDER: 'OPEN', EDIT: 'OPEN', CANCEL: 'CANCELED', COMPLETE_FREE: 'COMPLETED', PAY: 'COMPLETED' },
  COMPLETED: { TAKE_TENDER: 'refused', EDIT: 'refused', CANCEL: 'refused', COMPLETE_FREE: 'refused', PAY: 'COMPLETED' },
  CANCELED: { TAKE_TENDER: 'refused', EDIT: 'refused', CANCEL: 'refused', COMPLETE_FREE: 'refused', PAY: 'CANCELED' },
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
  /** True: an edit made its only tender cover it, so it was split before and keeps its own id in v1 (decision 0014). */
  readonly keepsOwnId: true | null;
  /** The lines as they were rung up or edited last. Null if the sale is not open, or if an older server opened it. */
  readonly openLines: JsonText<unknown> | null;
}

/** The fields of a sale that only a register gives it. */
export type RegisterField = 'deviceId' | 'deviceName' | 'employeeId' | 'registerSaleId' | 'label';

/** The sale of an online order: the same without the fields of a register. */
export type OnlineSale = Omit<Sale, 'kind' | RegisterField> & { readonly [Field in RegisterField]: null } & {
  readonly kind: 'ONLINE_STORE';
};

export function unpaid({ due, paid }: Pick<Sale, 'due' | 'paid'>): Amount {
  return subtract(due, paid);
}

/** The id in v1 (decision 0014): that of the only tender of a sale that is not split. `v1_id` of tenders/functions.sql is the same rule for lists. */
export function v1IdOf({
  id,
  due,
  paid,
  tenderIds,
  keepsOwnId,
}: Pick<Sale, 'id' | 'due' | 'paid' | 'tenderIds' | 'keepsOwnId'>): string {
  const [only, ...others] = tenderIds;
  return only !== undefined && others.length === 0 && paid === due && !keepsOwnId ? only : id;
}

/** The id in the address of a sale's receipt, and at its end the receipt number: that of the first tender. A free sale has its own. */
export function receiptIdOf(saleId: string, [firstTenderId]: readonly string[]): string {
  return firstTenderId ?? saleId;
}

/** Throws a refusal if the state does not allow the action. */
export function nextSaleState({ id, state }: Pick<Sale, 'id' | 'state'>, action: SaleAction): SaleState {
  const next = SALE_TRANSITIONS[state][action];
  if (next !== 'refused') return next;
  throw new Refusal('WRONG_STATE', { detail: `Sale ${id} is ${state}, so ${REFUSED_ACTIONS[action]}.` });
}

const REFUSED_ACTIONS: Readonly<Record<SaleAction, string>> = {
  TAKE_TENDER: 'no tender can be taken for it',
  EDIT: 'it cannot be edited',
  CANCEL: 'it cannot be canceled',
  COMPLETE_FREE: 'it cannot be completed again',
  PAY: 'it cannot be paid',
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

export const NO_REGISTER = {
  deviceId: null,
  deviceName: null,
  employeeId: null,
  registerSaleId: null,
  label: null,
} as const;
/** What a new sale does not have yet. */
export const NEW_SALE = { tenderIds: [], keepsOwnId: null, openLines: null } as const;

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
    ...NEW_SALE,
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
    ...NO_REGISTER,
    ...NEW_SALE,
  };
}

/** The fields of a payment that a sale uses. */
export interface SaleTender {
  readonly id: string;
  readonly amount: Amount;
  readonly capturedAt: Instant | null;
}

/** The fields of a sale that its state depends on. */
type PayableSale = Pick<Sale, 'id' | 'state' | 'createdAt' | 'due' | 'paid' | 'tenderIds' | 'keepsOwnId' | 'openLines'>;

/**
 * The sale with one more tender, if that is captured. The last tender completes the sale, and sets its time (contract 18). The constraint
 * sales_paid refuses more than the sale is due.
 */
export function withTender<Any extends PayableSale>(sale: Any, { id, amount, capturedAt }: SaleTender): Any {
  if (capturedAt === null) return sale;
  const taken = {
    ...sale,
    paid: add(sale.paid, amount),
    tenderIds: [...sale.tenderIds, id],
    keepsOwnId: null,
    createdAt: sale.createdAt ?? capturedAt,
  };
  return taken.paid === taken.due ? asPaid(taken, capturedAt) : taken;
}

/** The sale with another total. It is complete if its tenders pay that, and then keeps the id of a split sale (decisions 0014 and 0153). */
export function withTotal<Any extends PayableSale>(sale: Any, due: Amount, at: Instant): Any {
  const edited = { ...sale, state: nextSaleState(sale, 'EDIT'), due };
  const { length: tenders } = edited.tenderIds;
  if (tenders === 0 || edited.paid !== due) return edited;
  return { ...asPaid(edited, at), keepsOwnId: tenders === 1 ? true : null };
}

function asPaid<Any extends PayableSale>(sale: Any, createdAt: Instant): Any {
  return { ...sale, state: nextSaleState(sale, 'PAY'), createdAt, openLines: null };
}

/** A sale with a total of zero is complete without a tender (decision 0055). */
export function asFree<Any extends PayableSale>(sale: Any, createdAt: Instant): Any {
  return { ...sale, state: nextSaleState(sale, 'COMPLETE_FREE'), createdAt, openLines: null };
}

export function asCanceled<Any extends PayableSale>(sale: Any): Any {
  return { ...sale, state: nextSaleState(sale, 'CANCEL'), openLines: null };
}

/** A new order id. Refunds have one of their own, like sales. */
export function newOrderId(ids: Ids): string {
  return ids.newId(28);
}
