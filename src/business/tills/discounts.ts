/** Who may give the discounts of a sale at a register, and who allowed them (decisions 0110 and 0144). */
import { wasSignedIn } from '../../access/devices/employee-sign-in.js';
import { parseOccurredAt } from '../../access/devices/register-writes.js';
import { Refusal } from '../../base/errors.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { actorOf, auditChange } from '../../identity/audit.js';
import type { Flag } from '../../identity/kept-write.js';
import { listRestrictedDiscounts } from '../catalogue/queries.js';
import { identifyLines } from '../receipts/line-ids.js';
import type { DiscountInput, ReceiptInput } from '../receipts/model.js';
import { compareReductions, type Reduction, reductionsOf, withAllowances } from '../receipts/reductions.js';
import type { SaleContext } from './actions.js';
import { withApproval } from './approval.js';

const REQUIRED_PERMISSION = 'REGISTER_APPLY_RESTRICTED_DISCOUNTS';

function discountsOf({ discounts, items }: ReceiptInput): DiscountInput[] {
  return [...discounts, ...items.flatMap((item) => item.discounts)];
}

/**
 * Marks the discounts that the catalogue restricts, whatever the register says: those with the id of such a discount, and those with its
 * name (decision 0144). Returns the same receipt if there are none.
 */
async function markRestricted({ database, merchant }: SaleContext, receipt: ReceiptInput): Promise<ReceiptInput> {
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

/** A new receipt of a sale at a register, or of an edit. */
interface SentReceipt {
  readonly receipt: ReceiptInput;
  /** What an edited sale sold before. What was allowed then stays allowed. */
  readonly before: ReceiptInput | null;
  readonly approvedBy: string | undefined;
}

export interface AllowedReceipt {
  /** With who allowed its discounts. */
  readonly receipt: ReceiptInput;
  readonly flags: readonly Flag[];
  /** What somebody else allowed just now. */
  readonly approved: readonly Reduction[];
}

/**
 * If the merchant restricts discounts, every discount requires the permission. Otherwise only those require it that the catalogue restricts
 * or the register marks as restricted. What was allowed before is no licence: it counts once, in its place, up to what it took off. A sale
 * that happened offline is flagged instead of refused, unless a card has yet to pay for it.
 */
export async function allowDiscounts(
  context: SaleContext,
  { receipt: sent, before, approvedBy }: SentReceipt,
): Promise<AllowedReceipt> {
  const { merchant } = context;
  const receipt = await markRestricted(context, sent);
  const reductions = reductionsOf(identifyLines(receipt, merchant.id));
  const { added, kept } = compareReductions(reductions, before ? reductionsOf(identifyLines(before, merchant.id)) : []);
  const limited = added.filter(({ restricted }) => merchant.restrictsDiscounts || restricted);
  const [first] = limited;
  if (!first) return { receipt: withAllowances(receipt, kept), flags: [], approved: [] };
  const approved = await withApproval(context, approvedBy);
  if (!approved.attendant.permissions.has(REQUIRED_PERMISSION)) {
    if (!context.kept?.isLenient) throw refuse(context, first, `it requires ${REQUIRED_PERMISSION}`);
    return { receipt: withAllowances(receipt, kept), flags: [toFlag(first)], approved: [] };
  }
  if (merchant.restrictsDiscounts || receipt !== sent) await requireSignedIn(context, first);
  const isOwn = context.attendant.permissions.has(REQUIRED_PERMISSION);
  const by = isOwn || approvedBy === undefined ? context.attendant.employeeId : approvedBy.toLowerCase();
  const allowed = limited.map((each) => ({ ...each, allowed: { by, at: timeOf(context) } }));
  return { receipt: withAllowances(receipt, [...kept, ...allowed]), flags: [], approved: isOwn ? [] : allowed };
}

/** For a rule of the owner: whoever sends a discount late must have been there. A kept write names its employee, and the queue checks the sign-in. */
async function requireSignedIn(context: SaleContext, discount: Reduction): Promise<void> {
  if (context.occurredAt === undefined || context.kept) return;
  if (await wasSignedIn(context, context.now - timeOf(context))) return;
  const detail = 'it must be sent by an employee who was signed in at this device at that time';
  throw refuse(context, { ...discount, field: 'occurred_at' }, detail);
}

function timeOf({ now, occurredAt }: SaleContext): Instant {
  return parseOccurredAt(now, occurredAt);
}

/** Records in the audit log what somebody else allowed, once the sale is known. */
export function auditApproval(
  change: Change,
  context: SaleContext,
  saleId: string,
  approved: readonly Reduction[],
): void {
  for (const { name, amount, allowed } of approved) {
    const details = { approved_by: allowed?.by ?? '', discount: name, amount: String(amount), sale_id: saleId };
    auditChange(change, { kind: 'DISCOUNT_APPROVED', ...actorOf(context), details });
  }
}

function toFlag({ name }: Reduction): Flag {
  return {
    code: 'DISCOUNT_RESTRICTED',
    detail: `The discount ${name} is restricted, and the employee may not give it.`,
  };
}

/** Records the refusal here: no other code does, and the response to a queue is a success. */
function refuse(context: SaleContext, { name, field }: Pick<Reduction, 'name' | 'field'>, reason: string): Refusal {
  const details = { reason: 'restricted discount', discount: name };
  context.securityLog.record({ kind: 'ACCESS_REFUSED', ...actorOf(context), details });
  return new Refusal('FORBIDDEN', { field, detail: `The discount ${name} is restricted: ${reason}.` });
}
