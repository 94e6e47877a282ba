/** Writes that wait to be sent: their fields, and which of them may wait. Pure. */
import type { Amount } from '../../../../src/base/money.js';
import { HOUR_MS, type Instant } from '../../../../src/base/time.js';
import type { KeptOperation } from '../../../../src/business/queue/register.view.js';
import type { Cart } from '../cart.js';
import type { WireSale, WireSignature } from '../wire.js';

export type { KeptOperation };

export type WriteBody = Readonly<Record<string, unknown>>;

export interface WriteError {
  readonly code: string;
  readonly detail: string;
  readonly field?: string;
  /** The sale that the write is about, as it is now. */
  readonly sale?: WireSale;
}

/** A write as the browser's database stores it. */
export interface QueuedWrite {
  /** The place in the queue. */
  readonly order: number;
  /** The id under which the server records it, once. */
  readonly id: string;
  readonly operation: KeptOperation;
  readonly employeeId: string;
  /** By the server's clock, as far as it is known. */
  readonly occurredAt: Instant;
  /** The body of the operation without id and time, with the id of the sale or shift. */
  readonly body: WriteBody;
  /** Of the employee. Absent in writes of versions that signed nothing. */
  readonly signature?: WireSignature;
  /** The cash that the write puts into the drawer, or takes out if negative. Only set if its body does not say so. */
  readonly cash?: Amount;
  /** How often the server has failed to decide about it. */
  readonly failures: number;
  /** The cart that it took. It comes back if the write is refused at once. */
  readonly cart?: Cart;
  /** Why the write was refused. It then waits for a person, and no longer for the network. */
  readonly error?: WriteError;
  /** Set if the sale was recorded, but its card was declined later. The sale is still open. */
  readonly response?: unknown;
}

/** The response to a write that the server has accepted. */
export interface SentWrite {
  readonly id: string;
  readonly operation: KeptOperation;
  readonly response: unknown;
  readonly sentAt: number;
}

export interface RefusedWrite {
  readonly write: QueuedWrite;
  readonly error: WriteError;
  readonly response?: unknown;
  /** Whether sending it again can help. */
  readonly canRetry: boolean;
}

export interface Pending {
  readonly count: number;
  readonly oldest?: Instant;
  readonly list: readonly QueuedWrite[];
  readonly isSending: boolean;
  /** The oldest write will soon be too old for the server to accept. */
  readonly isTooLong: boolean;
}

/** The server accepts writes up to 72 hours old. */
const WARN_AFTER_MS = 60 * HOUR_MS;

export function toPending(writes: readonly QueuedWrite[], now: Instant, isSending: boolean): Pending {
  const list = writes.filter(({ error }) => error === undefined);
  const [first] = list;
  return {
    count: list.length,
    ...(first && { oldest: first.occurredAt }),
    list,
    isSending,
    isTooLong: first !== undefined && now - first.occurredAt > WARN_AFTER_MS,
  };
}

/** The server would refuse such a write again. */
const FINAL_CODES: ReadonlySet<string> = new Set(['TOO_OLD', 'NOT_SIGNED']);

export function toRefused(writes: readonly QueuedWrite[]): RefusedWrite[] {
  return writes.flatMap((write) => {
    const { error, response } = write;
    if (!error) return [];
    const canRetry = response === undefined && !FINAL_CODES.has(error.code) && !isWithoutSources(write);
    return [{ write, error, canRetry, ...(response !== undefined && { response }) }];
  });
}

interface TenderFields {
  readonly type?: string;
  readonly source_id?: string;
  readonly amount_money?: { readonly amount: number };
  readonly tip_money?: { readonly amount: number };
}

export function tendersOf({ operation, body }: Pick<QueuedWrite, 'operation' | 'body'>): readonly TenderFields[] {
  if (operation === 'takeTender') return [body as TenderFields];
  return operation === 'ringUpSale' ? ((body['tenders'] ?? []) as readonly TenderFields[]) : [];
}

/** The write without the sources of its cards, because it is not sent again. */
export function withoutSources(write: QueuedWrite): QueuedWrite {
  const { source_id: _, ...body } = write.body;
  const strip = ({ source_id: __, ...tender }: WriteBody): WriteBody => tender;
  const tenders = body['tenders'] as readonly WriteBody[] | undefined;
  return { ...write, body: { ...body, ...(tenders && { tenders: tenders.map(strip) }) } };
}

/** True if the server has decided about the cards of the write: they have to be presented again. */
function isWithoutSources(write: QueuedWrite): boolean {
  return tendersOf(write).some((tender) => isCard(tender) && tender.source_id === undefined);
}

export function isCard({ type }: Pick<TenderFields, 'type'>): boolean {
  return type === 'CARD' || type === 'GIFT_CARD';
}

export interface OfflineRules {
  readonly cards_allowed: boolean;
  readonly card_limit_money?: { readonly amount: number };
}

/** Why a write may not wait for the network; undefined if it may. `left` is what a tender without an amount pays. */
export function refusalOffline(
  write: Pick<QueuedWrite, 'operation' | 'body'>,
  { cards_allowed: areAllowed, card_limit_money: limit }: OfflineRules,
  left: Amount | undefined,
): string | undefined {
  const cards = tendersOf(write).filter(isCard);
  if (cards.length === 0) return undefined;
  if (cards.some(({ type }) => type === 'GIFT_CARD'))
    return 'A gift card needs the network: its balance is not known here.';
  if (!areAllowed) return 'Cards need the network. Take cash or another tender, or wait until the network is back.';
  const most = limit?.amount;
  const isOver = ({ amount_money: money, tip_money: tip }: TenderFields): boolean =>
    most !== undefined && (money?.amount ?? left ?? Number.POSITIVE_INFINITY) + (tip?.amount ?? 0) > most;
  return cards.some(isOver) ? 'This amount is above the limit for cards without a network.' : undefined;
}

/** The server's id of the sale or shift that a write created. */
export function createdId(response: unknown): string | undefined {
  const { sale, cash_drawer_shift: shift } = (response ?? {}) as Record<string, { id?: string } | undefined>;
  return sale?.id ?? shift?.id;
}

/** Why a sale is still open although a card was to pay for it: the card was declined. */
export function declineIn(write: QueuedWrite, response: unknown): WriteError | undefined {
  if (!tendersOf(write).some(isCard)) return undefined;
  const { sale } = (response ?? {}) as {
    sale?: { state: string; tenders: readonly { status: string; errors?: readonly WriteError[] }[] };
  };
  if (sale?.state !== 'OPEN') return undefined;
  const declined = sale.tenders.find(({ status }) => status === 'DECLINED');
  if (!declined) return undefined;
  const { code = 'CARD_DECLINED', detail = 'The card was declined.' } = declined.errors?.[0] ?? {};
  return { code, detail };
}
