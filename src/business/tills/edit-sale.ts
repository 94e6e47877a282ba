/** Edits an open sale: what it sells, and its label. Its tenders stay (decision 0153). */
import { parseOccurredAt } from '../../access/devices/register-writes.js';
import { Refusal } from '../../base/errors.js';
import type { Change } from '../../database/change.js';
import { readTendersOfSale } from '../payments/queries.js';
import type { DiscountInput, ReceiptInput } from '../receipts/model.js';
import { editOpenSale } from '../sales/actions.js';
import { requireSaleAction } from '../sales/model.js';
import { type NewSale, readSaleAtDevice, type SaleContext, sumReserved } from './actions.js';
import { withApproval } from './approval.js';
import { markRestricted, requireDiscountPermission } from './discounts.js';

export interface OpenSaleEdit extends Pick<NewSale, 'receipt' | 'label' | 'approvedBy' | 'expectedDue'> {
  /** The version of the sale that the register has seen. */
  readonly version: string;
}

export async function editSale(change: Change, context: SaleContext, id: string, edit: OpenSaleEdit): Promise<void> {
  const { merchant, now, occurredAt } = context;
  const sale = await readSaleAtDevice(change, context, id);
  requireSaleAction(sale, 'EDIT');
  if (sale.version !== edit.version) {
    throw new Refusal('CONFLICT', {
      field: 'version',
      detail: 'Another register has changed this sale. Look at what changed, and edit it again.',
    });
  }
  const approved = await withApproval(change, context, edit.approvedBy);
  // Discounts that the sale had before were allowed then.
  await requireDiscountPermission(approved, withoutDiscounts(edit.receipt, discountsOf(sale.lines)));
  editOpenSale(change, merchant, sale, {
    lines: await markRestricted(context, edit.receipt),
    label: edit.label,
    expectedDue: edit.expectedDue,
    reserved: sumReserved(await readTendersOfSale(change, sale.id)),
    at: parseOccurredAt(now, occurredAt),
    now,
  });
}

function discountsOf(lines: ReceiptInput | null): readonly DiscountInput[] {
  return lines ? [...lines.discounts, ...lines.items.flatMap(({ discounts }) => discounts)] : [];
}

function withoutDiscounts(receipt: ReceiptInput, known: readonly DiscountInput[]): ReceiptInput {
  const keys = new Set(known.map(keyOf));
  const fresh = (line: DiscountInput): boolean => !keys.has(keyOf(line));
  return {
    ...receipt,
    discounts: receipt.discounts.filter(fresh),
    items: receipt.items.map((item) => ({ ...item, discounts: item.discounts.filter(fresh) })),
  };
}

/** Equal if it is the same discount with the same value. */
function keyOf(line: DiscountInput): string {
  return JSON.stringify([line.id ?? null, line.name, 'rate' in line ? ['rate', line.rate] : ['amount', line.amount]]);
}
