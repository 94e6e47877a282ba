/**
 * A processor behind an adapter that speaks the HTTP contract (decision 0185). Only a complete, valid answer is an outcome. After anything
 * else the adapter is asked by the key of the call, and if it knows nothing of the call, the call is repeated with the same key.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Amount, amount } from '../../base/money.js';
import { SECOND_MS } from '../../base/time.js';
import {
  type AuthorizeOutcome,
  type AuthorizeRequest,
  type CallRequest,
  type Card,
  type Processor,
  ProcessorUnavailable,
  type Trouble,
} from '../contract.js';
import { type Adapter, type AdapterRequest, reasonOf, send } from './transport.js';
import { type Action, type Answers, invalidAnswerReason, type WireCard } from './wire.js';

export interface AdapterLimits {
  /** Of a whole call. Shorter than the time that callers give a processor. */
  readonly callMs: number;
  /** Of one request that acts; the adapter may go on after it. */
  readonly attemptMs: number;
  readonly lookUpMs: number;
  /** The pause before the first repetition. It doubles. */
  readonly pauseMs: number;
  /** How many requests in a row may fail before the call is given up. A worker makes it again. */
  readonly failures: number;
}

const LIMITS: AdapterLimits = {
  callMs: 18 * SECOND_MS,
  attemptMs: 10 * SECOND_MS,
  lookUpMs: 3 * SECOND_MS,
  pauseMs: 250,
  failures: 4,
};

export interface AdapterOptions {
  readonly limits?: Partial<AdapterLimits> | undefined;
  readonly onTrouble: (trouble: Trouble) => void;
  /** Ends all requests in flight. */
  readonly closing?: AbortSignal | undefined;
}

export function createAdapterProcessor(adapter: Adapter, options: AdapterOptions): Processor {
  const { limits, onTrouble, closing = new AbortController().signal } = options;
  const context = { adapter, limits: { ...LIMITS, ...limits }, closing };
  const ask = async <Name extends Action>(
    action: Name,
    call: CallRequest,
    body: CallBody = toBody(call),
  ): Promise<Answers[Name]> => {
    const result = await callUntilKnown({ ...context, requestId: call.requestId }, action, body);
    if ('answer' in result) return result.answer as Answers[Name];
    onTrouble({ action, call, reason: result.why });
    throw new ProcessorUnavailable(`the outcome of ${action} is unknown: ${result.why}`);
  };
  return {
    isCertain: () => false,
    authorize: async (request) => toOutcome(await ask('authorize', request, toAuthorizeBody(request)), request),
    async capture(request) {
      const answer = await ask('capture', request);
      return answer.outcome === 'refused' ? { kind: 'refused' } : { kind: 'captured', fee: toFee(answer) };
    },
    async void(request) {
      await ask('void', request);
    },
    async refund(request) {
      const { amount, currency } = request;
      const body = { ...toBody(request), amount_money: { amount, currency } };
      const { outcome } = await ask('refund', request, body);
      return outcome === 'refunded';
    },
  };
}

interface CallBody {
  readonly key: string;
  readonly merchant_id: string;
  readonly payment_id: string;
  readonly amount_money?: { readonly amount: Amount; readonly currency: string };
  readonly accept_partial?: boolean;
}

function toBody({ key, merchant, paymentId }: CallRequest): CallBody {
  return { key, merchant_id: merchant.id, payment_id: paymentId };
}

function toAuthorizeBody(request: AuthorizeRequest): CallBody {
  const { sourceId, verificationToken, amount, currency, acceptPartial, capture } = request;
  const body = {
    ...toBody(request),
    source_id: sourceId,
    ...(verificationToken !== undefined && { verification_token: verificationToken }),
    amount_money: { amount, currency },
    accept_partial: acceptPartial,
    capture,
  };
  return body;
}

interface Sending {
  readonly adapter: Adapter;
  readonly limits: AdapterLimits;
  readonly closing: AbortSignal;
  readonly requestId: string | undefined;
}

type Known = { readonly answer: Answers[Action] };
type Unknown = { readonly why: string };

async function callUntilKnown(sending: Sending, action: Action, body: CallBody): Promise<Known | Unknown> {
  const { limits, closing, requestId } = sending;
  const { attemptMs, lookUpMs } = limits;
  const end = performance.now() + limits.callMs;
  const call: AdapterRequest = { method: 'POST', path: `/${action}`, body: JSON.stringify(body), requestId };
  const lookUp: AdapterRequest = { method: 'GET', path: `/calls/${encodeURIComponent(body.key)}`, requestId };
  let isLookUp = false;
  let failures = 0;
  let pauseMs = limits.pauseMs;
  for (;;) {
    const leftMs = Math.max(1, end - performance.now());
    const limitMs = Math.min(leftMs, isLookUp ? lookUpMs : attemptMs);
    const reply = await readReply(sending, action, body, isLookUp ? lookUp : call, limitMs);
    if (typeof reply === 'object' && 'answer' in reply) return reply;
    if (closing.aborted) return { why: 'the server is stopping' };
    if (typeof reply === 'object') {
      failures++;
      if (reply.isFinal || failures >= limits.failures) return reply;
      isLookUp = true;
    } else {
      isLookUp = reply === 'in progress'; // a call that the adapter does not know had no effect, so it is repeated
    }
    if (performance.now() + pauseMs >= end) return typeof reply === 'object' ? reply : { why: `still ${reply}` };
    await sleep(pauseMs, undefined, { signal: closing }).catch(() => {});
    pauseMs = Math.min(pauseMs * 2, 2 * SECOND_MS);
  }
}

type Reply = Known | 'in progress' | 'not there' | (Unknown & { readonly isFinal?: boolean });

async function readReply(
  { adapter, closing }: Sending,
  action: Action,
  body: CallBody,
  request: AdapterRequest,
  limitMs: number,
): Promise<Reply> {
  try {
    const { status, json } = await withinTime(closing, limitMs, (signal) => send(adapter, request, signal));
    if (status === 202) return 'in progress';
    if (status === 404 && request.method === 'GET') return 'not there';
    if (status === 200) {
      const why = invalidAnswerReason(action, json) ?? wrongAmountReason(body, json as Answers[Action]);
      return why === undefined ? { answer: json as Answers[Action] } : { why: `a malformed answer: ${why}` };
    }
    // A repetition would be refused in the same way, until somebody repairs the adapter or the settings.
    return { why: `the adapter responded ${status}`, isFinal: status >= 300 && status < 500 && status !== 429 };
  } catch (error) {
    return { why: reasonOf(error) };
  }
}

/** `AbortSignal.any` would leave something behind on the signal of the server, which lives as long as the process, for each call. */
async function withinTime<Result>(
  closing: AbortSignal,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const end = (): void => ending.abort(closing.reason);
  const timer = setTimeout(() => ending.abort(new DOMException('no answer in time', 'TimeoutError')), limitMs);
  closing.addEventListener('abort', end);
  if (closing.aborted) end();
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', end);
  }
}

/** Why the approved amount would be wrong in the books: it is not what was requested, nor a part that may be approved. */
function wrongAmountReason({ amount_money: wanted, accept_partial }: CallBody, answer: Answers[Action]) {
  if (answer.outcome !== 'approved' || !wanted || answer.amount === wanted.amount) return undefined;
  if (accept_partial && answer.amount < wanted.amount) return undefined;
  return `amount is ${answer.amount}, but ${wanted.amount} was requested`;
}

const toFee = ({ fee = 0 }: { readonly fee?: number }): Amount => amount(fee);

function toOutcome(answer: Answers['authorize'], { sourceId }: AuthorizeRequest): AuthorizeOutcome {
  switch (answer.outcome) {
    case 'approved':
      return {
        kind: 'approved',
        amount: amount(answer.amount),
        card: toCard(answer.card, sourceId),
        fee: toFee(answer),
      };
    case 'declined': {
      const { code, available_amount: available } = answer;
      const card = toCard(answer.card, sourceId);
      return { kind: 'declined', code, card, ...(available !== undefined && { availableAmount: amount(available) }) };
    }
    case 'unusable':
      return { kind: 'unusable', why: answer.reason };
  }
}

function toCard(card: WireCard, sourceId: string): Card {
  const isOnFile = sourceId.startsWith('ccof:');
  return {
    ...(isOnFile && { id: sourceId }),
    brand: card.brand,
    last4: card.last_4,
    ...(card.exp_month !== undefined && { expMonth: card.exp_month }),
    ...(card.exp_year !== undefined && { expYear: card.exp_year }),
    ...(card.fingerprint !== undefined && { fingerprint: card.fingerprint }),
    ...(card.bin !== undefined && { bin: card.bin }),
    type: card.type ?? 'UNKNOWN_CARD_TYPE',
    prepaidType: card.prepaid_type ?? 'UNKNOWN_PREPAID_TYPE',
    entryMethod: card.entry_method ?? (isOnFile ? 'ON_FILE' : 'KEYED'),
    cvvStatus: card.cvv_status ?? 'CVV_NOT_CHECKED',
    avsStatus: card.avs_status ?? 'AVS_NOT_CHECKED',
    ...(card.auth_result_code !== undefined && { authResultCode: card.auth_result_code }),
  };
}
