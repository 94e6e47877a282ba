/** Who may sell for less at a register, by discounts or lower prices, and who allowed it (decisions 0110, 0144 and 0210). */
import type { NamedApproval } from '../../access/devices/approval-model.js';
import { Refusal } from '../../base/errors.js';
import { add } from '../../base/money.js';
import type { Change } from '../../database/change.js';
import { actorOf, auditChange } from '../../identity/audit.js';
import type { Flag } from '../../identity/kept-write.js';
import { listRestrictedDiscounts } from '../catalogue/queries.js';
import { identifyLines } from '../receipts/line-ids.js';
import { markLowered } from '../receipts/list-prices.js';
import type { DiscountInput, ReceiptInput } from '../receipts/model.js';
import { compareReductions, type Reduction, reductionsOf, withAllowances } from '../receipts/reductions.js';
import type { SaleAct } from './actions.js';
import { APPROVED_PERMISSION, type SaleToApprove, takeApproval } from './approval.js';
import { findListPrices, findPriceFlags, findUnlistedFlags } from './list-prices.js';

function discountsOf({ discounts, items }: ReceiptInput): DiscountInput[] {
  return [...discounts, ...items.flatMap((item) => item.discounts)];
}

/**
 * Marks the discounts that the catalogue restricts, whatever the register says: those with the id of such a discount, and those with its
 * name (decision 0144). Returns the same receipt if there are none.
 */
async function markRestricted({ database, merchant }: SaleAct, receipt: ReceiptInput): Promise<ReceiptInput> {
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
  /** What somebody else has allowed, if the attendant may not. */
  readonly approval: NamedApproval | undefined;
  readonly sale: Omit<SaleToApprove, 'amount'>;
}

export interface AllowedReceipt {
  /** With who allowed its discounts and lower prices. */
  readonly receipt: ReceiptInput;
  readonly flags: readonly Flag[];
  /** What somebody else allowed just now, and by which approval. */
  readonly approved: readonly Reduction[];
  readonly approvalId?: string;
}

/**
 * If the merchant restricts discounts, every discount requires the permission, and every price below the catalogue. Otherwise only those
 * discounts require it that the catalogue restricts or the register marks as restricted. What was allowed before is no licence: it counts
 * once, in its place, up to what it took off. A sale that happened offline is flagged instead of refused, unless a card has yet to pay for
 * it and a discount is not allowed.
 */
export async function allowReductions(change: Change, context: SaleAct, sent: SentReceipt): Promise<AllowedReceipt> {
  const { merchant, attendant } = context;
  const { receipt, reductions, before, flags } = await findReductions(context, sent);
  const { added, kept } = compareReductions(reductions, before);
  const limited = added.filter(({ restricted }) => merchant.restrictsDiscounts || restricted);
  const [first] = limited;
  if (!first) return { receipt: withAllowances(receipt, kept), flags, approved: [] };
  // Anybody can name a manager in a kept write. Only what the manager has signed has the manager's permission.
  const isOwn = attendant.permissions.has(APPROVED_PERMISSION) && (context.kept?.isSigned ?? true);
  const wanted = { ...sent.sale, amount: add(...limited.map(({ amount }) => amount)) };
  const approver = isOwn || !sent.approval ? undefined : await takeApproval(change, context, sent.approval, wanted);
  const by = isOwn ? attendant.employeeId : approver;
  if (by === undefined) {
    const refused = context.kept ? limited.find(({ kind }) => kind === 'DISCOUNT' && !context.kept?.isLenient) : first;
    if (refused) throw refuse(context, refused, `it requires ${APPROVED_PERMISSION}`);
    return { receipt: withAllowances(receipt, kept), flags: [...limited.map(toFlag), ...flags], approved: [] };
  }
  const allowed = limited.map((each) => ({ ...each, allowed: { by, at: context.at } }));
  return {
    receipt: withAllowances(receipt, [...kept, ...allowed]),
    flags,
    approved: isOwn ? [] : allowed,
    ...(sent.approval && { approvalId: sent.approval.id }),
  };
}

interface FoundReductions {
  readonly receipt: ReceiptInput;
  readonly reductions: readonly Reduction[];
  readonly before: readonly Reduction[];
  readonly flags: readonly Flag[];
}

/** Prices are compared only if a rule depends on them: the merchant restricts discounts, or the sale was kept. */
async function findReductions(context: SaleAct, sent: SentReceipt): Promise<FoundReductions> {
  const { merchant, attendant, kept } = context;
  const marked = await markRestricted(context, sent.receipt);
  const identified = identifyLines(marked, merchant.id);
  const before = sent.before && identifyLines(sent.before, merchant.id);
  const reductionsBefore = (lines: ReceiptInput | null) => (lines ? reductionsOf(lines) : []);
  if (!merchant.restrictsDiscounts && !kept) {
    return { receipt: marked, reductions: reductionsOf(identified), before: reductionsBefore(before), flags: [] };
  }
  const prices = await findListPrices(context, before ? [identified, before] : [identified]);
  const changed = kept ? findPriceFlags(identified, prices) : [];
  if (!merchant.restrictsDiscounts) {
    return { receipt: marked, reductions: reductionsOf(identified), before: reductionsBefore(before), flags: changed };
  }
  const isFree = attendant.permissions.has(APPROVED_PERMISSION);
  return {
    receipt: markLowered(marked, identified, prices),
    reductions: reductionsOf(markLowered(identified, identified, prices)),
    // A price that the catalogue raised later counts before the edit and after it.
    before: reductionsBefore(before && markLowered(before, before, prices)),
    flags: [...changed, ...(isFree ? [] : findUnlistedFlags(identified, before, prices))],
  };
}

/** Records in the audit log what somebody else allowed, once the sale is known. */
export function auditApproval(
  change: Change,
  context: SaleAct,
  saleId: string,
  { approved, approvalId = '' }: Pick<AllowedReceipt, 'approved' | 'approvalId'>,
): void {
  for (const { kind, name, amount, allowed } of approved) {
    const what = kind === 'PRICE' ? { item: name } : { discount: name };
    const by = { approved_by: allowed?.by ?? '', approval_id: approvalId };
    const details = { ...by, ...what, amount: String(amount), sale_id: saleId };
    auditChange(change, { kind: 'DISCOUNT_APPROVED', ...actorOf(context), details });
  }
}

function toFlag({ kind, name }: Reduction): Flag {
  return kind === 'PRICE'
    ? { code: 'PRICE_LOWERED', detail: `${name} was sold below its price, and the employee may not lower prices.` }
    : {
        code: 'DISCOUNT_RESTRICTED',
        detail: `The discount ${name} is restricted, and the employee may not give it.`,
      };
}

/** Records the refusal here: no other code does, and the response to a queue is a success. */
function refuse(
  context: SaleAct,
  { kind, name, field }: Pick<Reduction, 'kind' | 'name' | 'field'>,
  why: string,
): Refusal {
  const isPrice = kind === 'PRICE';
  const details = isPrice
    ? { reason: 'price below the catalogue', item: name }
    : { reason: 'restricted discount', discount: name };
  context.securityLog.record({ kind: 'ACCESS_REFUSED', ...actorOf(context), details });
  const what = isPrice ? `${name} is sold below its price in the catalogue` : `The discount ${name} is restricted`;
  return new Refusal('FORBIDDEN', { field, detail: `${what}: ${why}.` });
}
