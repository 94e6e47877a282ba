/** Checks the permission to apply discounts at a register (decisions 0110 and 0144). */
import { wasSignedIn } from '../../access/devices/employee-sign-in.js';
import { parseOccurredAt } from '../../access/devices/register-writes.js';
import { Refusal } from '../../base/errors.js';
import { actorOf } from '../../identity/audit.js';
import type { Flag } from '../../identity/kept-write.js';
import { listRestrictedDiscounts } from '../catalogue/queries.js';
import type { DiscountInput, ReceiptInput } from '../receipts/model.js';
import type { SaleContext } from './actions.js';

const REQUIRED_PERMISSION = 'REGISTER_APPLY_RESTRICTED_DISCOUNTS';

/** The discounts of a sale, each with the field of the request that has it. */
function discountsOf(receipt: ReceiptInput): (DiscountInput & { readonly field: string })[] {
  return [
    ...receipt.discounts.map((discount) => ({ ...discount, field: 'discounts' })),
    ...receipt.items
      .flatMap(({ discounts }) => discounts)
      .map((each) => ({ ...each, field: 'itemizations.discounts' })),
  ];
}

/**
 * Marks the discounts that the catalogue restricts, whatever the register says: those with the id of such a discount, and those with its
 * name (decision 0144). Returns the same receipt if there are none.
 */
export async function markRestricted(
  { database, merchant }: SaleContext,
  receipt: ReceiptInput,
): Promise<ReceiptInput> {
  if (discountsOf(receipt).every(({ restricted }) => restricted)) return receipt;
  const limited = await listRestrictedDiscounts(database.sql, merchant.id);
  const ids = new Set(limited.map(({ id }) => id));
  const names = new Set(limited.map(({ name }) => normalize(name)));
  const isLimited = ({ id, name }: DiscountInput) => (id !== undefined && ids.has(id)) || names.has(normalize(name));
  if (!discountsOf(receipt).some(isLimited)) return receipt;
  const mark = (line: DiscountInput): DiscountInput => ({ ...line, restricted: line.restricted || isLimited(line) });
  return {
    ...receipt,
    discounts: receipt.discounts.map(mark),
    items: receipt.items.map((item) => ({ ...item, discounts: item.discounts.map(mark) })),
  };
}

/** A cashier cannot get around a restriction with spaces or capitals. */
function normalize(name: string): string {
  return name.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

interface CheckedDiscounts {
  /** The discounts that the catalogue restricts are marked. */
  readonly receipt: ReceiptInput;
  readonly flags: readonly Flag[];
}

/**
 * If the merchant restricts discounts, every discount requires the permission. Otherwise only those require it that the catalogue restricts
 * or the register marks as restricted. A sale that happened offline is flagged instead of refused, unless a card has yet to pay for it.
 */
export async function requireDiscountPermission(context: SaleContext, sent: ReceiptInput): Promise<CheckedDiscounts> {
  const { merchant, attendant, now, occurredAt } = context;
  const receipt = await markRestricted(context, sent);
  const appliedDiscounts = discountsOf(receipt);
  const [limited] = merchant.restrictsDiscounts
    ? appliedDiscounts
    : appliedDiscounts.filter(({ restricted }) => restricted);
  if (!limited) return { receipt, flags: [] };
  if (!attendant.permissions.has(REQUIRED_PERMISSION)) {
    const { field, name } = limited;
    if (context.kept?.isLenient) return { receipt, flags: [toFlag(name)] };
    throw refuse(context, name, { field, detail: `it requires ${REQUIRED_PERMISSION}` });
  }
  const isRuleOfOwner = merchant.restrictsDiscounts || receipt !== sent;
  // A kept write names its employee, and the queue checks the sign-in.
  if (!isRuleOfOwner || occurredAt === undefined || context.kept) return { receipt, flags: [] };
  if (await wasSignedIn(context, now - parseOccurredAt(now, occurredAt))) return { receipt, flags: [] };
  const detail = 'it must be sent by an employee who was signed in at this device at that time';
  throw refuse(context, limited.name, { field: 'occurred_at', detail });
}

function toFlag(discount: string): Flag {
  return {
    code: 'DISCOUNT_RESTRICTED',
    detail: `The discount ${discount} is restricted, and the employee may not give it.`,
  };
}

/** Records the refusal here: no other code does, and the response to a queue is a success. */
function refuse(context: SaleContext, discount: string, { field, detail }: { field: string; detail: string }): Refusal {
  const details = { reason: 'restricted discount', discount };
  context.securityLog.record({ kind: 'ACCESS_REFUSED', ...actorOf(context), details });
  return new Refusal('FORBIDDEN', { field, detail: `The discount ${discount} is restricted: ${detail}.` });
}
