/**
 * Money that a register took offline for a sale that needs less of it, or nothing any more, because another register was faster. Cash that
 * was taken is a fact: what the sale needs pays for it, the rest is recorded in the drawer, and the owner is told (decision 0235). Pure.
 */
import { type Amount, add, amount, subtract, ZERO } from '../../base/money.js';
import { MoneyPrinter } from '../../base/print-money.js';
import type { Instant } from '../../base/time.js';
import type { Flag, KeptWrite } from '../../identity/kept-write.js';
import type { Payment, PaymentStatus } from '../payments/model.js';
import { type Sale, unpaid } from '../sales/model.js';
import type { NewTender } from './tenders.js';

interface TakenTender {
  readonly sale: Sale;
  /** The tenders that the sale has. */
  readonly before: readonly Payment<PaymentStatus>[];
  /** The sum of card payments whose outcome is unknown. */
  readonly reserved: Amount;
  readonly tender: NewTender;
  /** By the register. Its drawer may have been opened a moment later, by the clock of the server. */
  readonly takenAt: Instant;
}

export interface Surplus {
  /** What still pays for the sale. Undefined: nothing. */
  readonly needed: NewTender | undefined;
  /** What is too much, with the tip if nothing is needed. */
  readonly amount: Amount;
}

/** Undefined if the sale needs all of it, or if the money has not been taken yet: then the usual rules decide. */
export function findSurplus(
  kept: KeptWrite | undefined,
  { sale, before, reserved, tender, takenAt }: TakenTender,
): Surplus | undefined {
  if (!kept?.isLenient || tender.source.kind === 'CARD') return undefined;
  const left = sale.state === 'OPEN' ? subtract(unpaid(sale), reserved) : ZERO;
  const taken = tender.amount ?? unpaidAt(takenAt, sale, before);
  if (taken <= left) return undefined;
  if (left === ZERO) return { needed: undefined, amount: add(taken, tender.tip ?? ZERO) };
  // The change was counted for all of it, so the part that is needed was given exactly.
  const source = tender.source.kind === 'CASH' ? { ...tender.source, tendered: undefined } : tender.source;
  return { needed: { ...tender, amount: left, source, whole: tender }, amount: subtract(taken, left) };
}

/** What a tender without an amount has paid: all that was left then, as far as is known now. */
function unpaidAt(at: Instant, { due }: Sale, before: readonly Payment<PaymentStatus>[]): Amount {
  const earlier = before.filter(({ capturedAt }) => capturedAt !== null && capturedAt <= at);
  const paid = add(ZERO, ...earlier.map((payment) => payment.amount));
  return amount(Math.max(ZERO, due - paid));
}

interface RecordedSurplus {
  readonly amount: Amount;
  readonly currency: string;
  readonly isInDrawer: boolean;
}

export function toSurplusFlag(
  sale: Sale,
  { source }: NewTender,
  { amount, currency, isInDrawer }: RecordedSurplus,
): Flag {
  const money = new MoneyPrinter(currency).print(amount);
  const why = sale.state === 'CANCELED' ? 'was canceled' : 'was paid';
  const sentences = [
    `${money} ${wordsFor(source)} was taken for ${nameOf(sale)}, which ${why} elsewhere meanwhile.`,
    ...(source.kind === 'CASH' ? [isInDrawer ? IN_DRAWER : IN_NO_DRAWER] : []),
    'The buyer may want it back.',
  ];
  return { code: 'PAID_TWICE', detail: sentences.join(' ') };
}

const IN_DRAWER = 'It is in the drawer as cash that was put in.';
const IN_NO_DRAWER = 'No drawer was open, so it is in no count.';

export function nameOf({ label, id }: Pick<Sale, 'label' | 'id'>): string {
  return label ?? `sale ${id}`;
}

function wordsFor(source: NewTender['source']): string {
  if (source.kind === 'CASH') return 'in cash';
  return source.kind === 'EXTERNAL_CARD' ? 'by a card terminal' : `with ${'name' in source ? source.name : 'goods'}`;
}
