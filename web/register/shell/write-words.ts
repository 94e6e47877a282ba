/** Kept writes in words. */
import { explainDecline } from '../../ui/decline-words.js';
import type { KeptOperation } from '../core/queue/model.js';
import type { QueuedWrite, RefusedWrite } from '../core/queue.js';
import { lineFor } from '../sell/elsewhere.js';

const WORDS: Readonly<Record<KeptOperation, string>> = {
  ringUpSale: 'Sale',
  takeTender: 'Payment of a sale',
  cancelSale: 'Cancellation of a sale',
  issueRefund: 'Refund',
  openShift: 'Drawer opened',
  noSale: 'Drawer opened without a sale',
  paidIn: 'Paid in',
  paidOut: 'Paid out',
  endShift: 'Shift ended',
  closeShift: 'Drawer closed',
  clockIn: 'Clock in',
  clockOut: 'Clock out',
};

interface Named {
  readonly name?: string;
}

/** `Sale: Espresso and 2 more`. */
export function wordsFor({ operation, body }: QueuedWrite): string {
  const [first, ...rest] = (body['itemizations'] ?? []) as readonly Named[];
  if (operation !== 'ringUpSale' || !first) return WORDS[operation];
  return `Sale: ${first.name}${rest.length > 0 ? ` and ${rest.length} more` : ''}`;
}

const FIELDS = ['total_money', 'amount_money', 'refunded_money', 'opened_cash_money', 'closed_cash_money'] as const;

export function amountOf({ body }: QueuedWrite): number | undefined {
  for (const field of FIELDS) {
    const money = body[field] as { readonly amount?: number } | undefined;
    if (money?.amount !== undefined) return money.amount;
  }
  return undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  REFUND_AMOUNT_INVALID:
    'This is more than is left to refund: money was given back elsewhere meanwhile. Look at the sale before you go on.',
  TOO_OLD:
    'It is older than 72 hours, and the server accepts nothing older. Write it down, and tell the owner before you remove it.',
};

/** With a response the sale is recorded: only its card was declined. */
export function wordsForError({ write, error: { code, detail, sale }, response }: RefusedWrite): string {
  if (sale && sale.state !== 'OPEN') return `${lineFor(sale, undefined)} ${wordsForTooLate(write)}`;
  if (response !== undefined) return `${explainDecline(code, detail)} The sale is recorded, and still has to be paid.`;
  return REASONS[code] ?? detail;
}

/** What that means for a write that came too late. */
function wordsForTooLate(write: QueuedWrite): string {
  if (write.operation === 'takeTender') return 'The card was not charged here.';
  if (write.operation !== 'cancelSale') return 'This was not done.';
  return (write.cash ?? 0) < 0
    ? 'So it was not canceled here. If cash was given back for it, record that as paid out.'
    : 'So it was not canceled here.';
}
