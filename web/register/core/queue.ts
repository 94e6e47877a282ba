/** The queue of this device: makes writes, sends them now or later, and shows what waits and what was refused. */
import { textOfWrite } from '../../../src/access/devices/signed-text.js';
import { type Amount, add, ZERO } from '../../../src/base/money.js';
import type { ResponseOf } from '../../client/callable.js';
import { Problem } from '../../client/problem.js';
import { createStore } from '../../client/store.js';
import { call, callAs, register } from './call.js';
import { type Cart, contentOf } from './cart.js';
import { clockOffset, now } from './clock.js';
import { isOnline } from './connection.js';
import { cart, clearCart, updateCart } from './current-cart.js';
import { device, noteRevocation, offlineRules, refreshDevice } from './device.js';
import { type Attendant, attendant, noteEndedSession } from './people.js';
import {
  type KeptOperation,
  type Pending,
  type QueuedWrite,
  type RefusedWrite,
  refusalOffline,
  toPending,
  toRefused,
  type WriteBody,
} from './queue/model.js';
import { Sender, toProblem, type WriteResult } from './queue/sender.js';
import { type Alongside, StoredWrites } from './queue/stored-writes.js';
import { cartOfSale, newTender, type TenderInput, toEditBody, toSaleBody } from './sale-body.js';
import { signText } from './signing-keys.js';
import { local } from './storage/kept.js';
import { announce, onAnnounced } from './storage/tabs.js';
import { totalsOf } from './totals.js';
import type { SaleBody, WireSignature } from './wire.js';

export type { Pending, QueuedWrite, RefusedWrite } from './queue/model.js';
export { isCard } from './queue/model.js';
export { toProblem };

export type Outcome<Response> =
  | { readonly status: 'DONE'; readonly id: string; readonly response: Response }
  | { readonly status: 'QUEUED'; readonly id: string };

export interface SendOptions {
  /** The write takes this cart, which comes back if the write is refused. */
  readonly cart?: Cart;
  /** What is in the cart afterwards. Default: nothing. */
  readonly nextCart?: Cart;
  /** The cash that the write puts into the drawer, or takes out if negative. Only needed if its body does not say so. */
  readonly cash?: Amount;
  /** Saves what the screens need after a reload, in the same transaction as the write. */
  readonly alongside?: Alongside;
}

export interface TenderOptions extends SendOptions {
  /** What is left to pay. A tender without an amount pays all of it. */
  readonly left?: Amount;
}

type ResponseTo<Name extends KeptOperation> = ResponseOf<(typeof register)[Name]>;

const LOCK = 'tillhouse-register-queue';
const TOPIC = 'writes';
/** The pauses after attempts that failed. The last one repeats. */
const PAUSES_MS = [2000, 4000, 8000, 15_000, 30_000, 60_000];

const NOTHING: Pending = { count: 0, list: [], isSending: false, isTooLong: false };

export const pending = createStore<Pending>(NOTHING);
export const refused = createStore<readonly RefusedWrite[]>([]);

const writes = new StoredWrites(local);
const acceptedListeners = new Set<(write: QueuedWrite, response: unknown) => void>();

let isSending = false;

const sender = new Sender({
  writes,
  exclusively: (work) => navigator.locks.request(LOCK, work) as ReturnType<typeof work>,
  sendDirectly: (operation, input, session) => callAs(register[operation], input, { session }),
  async sendQueue(queue) {
    try {
      const sent = await callAs(register.sendQueue, queue, { session: null, timeLimitMs: 30_000 });
      return sent as { results: readonly WriteResult[] };
    } catch (error) {
      noteRevocation(error);
      throw error;
    }
  },
  now,
  async readClock() {
    await refreshDevice().catch((error: unknown) => {
      if (!(error instanceof Problem) || error.isOutage || error.status === 401) throw error;
    });
    return { own: Date.now(), offset: clockOffset.get() };
  },
  isOnline: isOnline.get,
  async onChange() {
    await show();
    announce(TOPIC);
    announce('cart');
    await cart.load();
  },
  onEndedSession: (session) => session === attendant.get()?.session && noteEndedSession(),
  onAccepted(write, response) {
    for (const listener of acceptedListeners) listener(write, response);
  },
});

/** Calls the listener for each write that the server has accepted, at once or later. */
export function onAccepted(listener: (write: QueuedWrite, response: unknown) => void): void {
  acceptedListeners.add(listener);
}

/**
 * Makes a write. `DONE`: the server has it. `QUEUED`: it is kept here and will be sent. Throws a Problem if it is refused, and then
 * nothing is kept.
 */
export async function send<Name extends KeptOperation>(
  operation: Name,
  { id, ...body }: WriteBody,
  { left, cart: taken, nextCart, cash, alongside }: TenderOptions = {},
): Promise<Outcome<ResponseTo<Name>>> {
  const person = attendant.get();
  if (!person) throw problem('NOBODY_SIGNED_IN', 'Sign in first.');
  const reason = isOnline.get() ? undefined : whyNotOffline(operation, body, left);
  if (reason !== undefined) throw problem('NOT_OFFLINE', reason);
  const outcome = await sender
    .send({
      ...(typeof id === 'string' && { id }),
      operation,
      employeeId: person.employeeId,
      body,
      sign: (write, time) => signWrite(person, write, time),
      session: person.session,
      cart: taken,
      nextCart,
      cash,
      alongside,
    })
    .catch(forgetApproval);
  if (outcome.status === 'QUEUED') planSending();
  return outcome as Outcome<ResponseTo<Name>>;
}

/** An approval that the server has refused is not sent again: the screens ask for another one. */
function forgetApproval(error: unknown): never {
  if (error instanceof Problem && error.field === 'approval') updateCart(({ approval: _, ...current }) => current);
  throw error;
}

async function signWrite(
  { employeeId, key }: Attendant,
  write: Pick<QueuedWrite, 'id' | 'operation' | 'body'>,
  time: string,
): Promise<WireSignature> {
  const deviceId = device.get()?.id ?? '';
  const { id, operation, body } = write;
  const text = textOfWrite({ deviceId, employeeId, time, id, operation, body });
  return { key: key.publicKey, time, value: await signText(key, text) };
}

/**
 * Charges the current cart, which is empty afterwards. If something is left to pay, the screens go on with the sale of the response. A sale
 * that was taken up again takes one tender. If it was changed, it is saved first, which needs the network.
 */
export async function charge(
  tenders: readonly [TenderInput, ...TenderInput[]],
  options: Omit<SendOptions, 'cart'> = {},
): Promise<Outcome<ResponseTo<'ringUpSale'>>> {
  const current = takeCurrent();
  if (current.saleId === undefined) {
    const taking = { ...options, cart: current, left: totalsOf(current).due };
    return send('ringUpSale', toSaleBody(current, tenders), taking);
  }
  await saveOpenSale();
  const saved = cart.get();
  return takeTender(current.saleId, tenders[0], { ...options, cart: saved, left: totalsOf(saved).due });
}

/** Parks the current cart, so that it can be taken up again, here or at another register. */
export async function park(): Promise<void> {
  const current = takeCurrent();
  if (current.saleId === undefined) return void (await send('ringUpSale', toSaleBody(current), { cart: current }));
  await saveOpenSale();
  clearCart();
}

/** Throws if the cart is empty: another tab may have charged it just now. */
function takeCurrent(): Cart {
  const current = cart.get();
  if (current.lines.length === 0) throw problem('EMPTY_CART', 'There is nothing to charge.');
  if (current.saleId !== undefined && current.returns.length > 0) {
    throw problem('RETURNS_IN_OPEN_SALE', 'Returned goods cannot pay for a sale that was parked. Remove them first.');
  }
  return current;
}

/** Saves what was changed of an open sale. Throws a Problem if somebody else changed it meanwhile. */
async function saveOpenSale(): Promise<void> {
  const current = cart.get();
  if (current.takenUp === contentOf(current)) return;
  const { sale } = await call(register.editSale, toEditBody(current)).catch(forgetApproval);
  await cart.save(cartOfSale(sale));
}

/** One more tender for a sale that is open: by the server's id, or by the register's own while it waits. */
export function takeTender(
  saleId: string,
  tender: TenderInput,
  options: TenderOptions = {},
): Promise<Outcome<ResponseTo<'takeTender'>>> {
  const { type, amount = options.left, tip = ZERO } = tender;
  const cash = type === 'CASH' && amount !== undefined ? add(amount, tip) : undefined;
  // The amount that the screen shows, and not what is left when it arrives: another register may have taken or added something meanwhile.
  const given = newTender({ ...tender, ...(amount !== undefined && { amount }) });
  return send('takeTender', { ...given, sale_id: saleId }, { ...options, ...(cash && { cash }) });
}

/** Why this cannot be done without a network; undefined if it can. `left` is what a tender without an amount pays. */
function whyNotOffline(operation: KeptOperation, body: WriteBody, left?: Amount): string | undefined {
  const paired = device.get();
  const rules = paired ? offlineRules(paired) : { cards_allowed: false };
  const total = (body as Partial<SaleBody>).total_money?.amount as Amount | undefined;
  return refusalOffline({ operation, body }, rules, left ?? total);
}

/** What became of a write that was kept. */
export type WriteState<Response> =
  | { readonly status: 'ACCEPTED'; readonly response: Response }
  | { readonly status: 'REFUSED'; readonly refused: RefusedWrite }
  | { readonly status: 'WAITING' }
  /** A person has removed it. */
  | { readonly status: 'GONE' };

export async function findWriteState<Name extends KeptOperation>(id: string): Promise<WriteState<ResponseTo<Name>>> {
  const found = (await writes.list()).find((write) => write.id === id);
  const sent = await writes.findSent(id); // read second: a write that is accepted between the two moves there
  if (sent) return { status: 'ACCEPTED', response: sent.response as ResponseTo<Name> };
  if (!found) return { status: 'GONE' };
  const [entry] = toRefused([found]);
  return entry ? { status: 'REFUSED', refused: entry } : { status: 'WAITING' };
}

/** Removes a refused write as if it had never been made: the cart that it took comes back. */
export async function takeBack({ write }: RefusedWrite): Promise<void> {
  await writes.takeBack(write);
  await show();
  announce(TOPIC);
  announce('cart');
  await cart.load();
}

export async function retry(id: string): Promise<void> {
  await writes.retry(id);
  await sendNow();
}

export async function discard(id: string): Promise<void> {
  await writes.discard(id);
  await show();
  announce(TOPIC);
}

/** Sends the writes that wait. Also resolves if the server does not respond: they are sent again later. */
export async function sendNow(): Promise<void> {
  if (isSending || (await writes.listWaiting()).length === 0) return void (await show());
  isSending = true;
  try {
    await show();
    await sender.sendAll();
    attempts = 0;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  } finally {
    isSending = false;
    await show();
    planSending();
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;
let attempts = 0;

function planSending(): void {
  clearTimeout(timer);
  if (pending.get().count === 0) return;
  const pause = PAUSES_MS[Math.min(attempts++, PAUSES_MS.length - 1)];
  timer = setTimeout(() => void sendNow(), pause);
}

export async function watchQueue(): Promise<void> {
  onAnnounced(TOPIC, () => void show());
  isOnline.subscribe(() => isOnline.get() && void sendNow());
  await show();
  void sendNow();
}

async function show(): Promise<void> {
  const all = await writes.list();
  pending.set(toPending(all, now(), isSending));
  refused.set(toRefused(all));
}

function problem(code: string, message: string): Problem {
  return new Problem(message, { status: 409, code, field: undefined, requestId: undefined });
}
