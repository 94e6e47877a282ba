/**
 * What every double of Stripe here has over HTTP: it checks the key, saves the result of each idempotency key, also if it is an error of the
 * server, and can lose, delay, duplicate and garble requests.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from './local-server.js';

export const STRIPE_KEY = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc';
export const WEBHOOK_SECRET = 'whsec_3f1c9a7be04d5862d7c1a9e05b3f8c46';

// biome-ignore lint/suspicious/noExplicitAny: objects of the API, whose members differ by kind
export type Thing = Record<string, any>;

export const STRIPE_FAULTS = [
  'is lost',
  'is lost after it has acted',
  'hangs',
  'hangs after it has acted',
  'arrives twice',
  'arrives twice at the same time',
  'is answered with 500',
  'is answered with 500 after it has acted',
  'is answered with half a body',
  'is answered by a gateway after it has acted',
] as const;

export type StripeFault = (typeof STRIPE_FAULTS)[number];

export class ApiError extends Error {
  readonly status: number;
  readonly fields: Thing;

  constructor(status: number, fields: Thing) {
    super(fields['message']);
    this.status = status;
    this.fields = fields;
  }
}

export const invalid = (message: string, fields: Thing = {}, status = 400) =>
  new ApiError(status, { type: 'invalid_request_error', message, ...fields });

export const unrecognized = (method: string, path: string) =>
  invalid(`Unrecognized request URL (${method}: ${path}).`, {}, 404);

export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

/** What Stripe books for a charge, and keeps of it. */
export function bookCharge(amount: number, currency: unknown): Thing {
  const fee = Math.round(amount * 0.029) + 30;
  return { id: newId('txn'), object: 'balance_transaction', amount, fee, net: amount - fee, currency };
}

export interface StripeRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly params: URLSearchParams;
}

export interface Sent extends StripeRequest {
  readonly key: string | undefined;
  /** The same for two requests that ask for the same. */
  readonly text: string;
}

interface Reply {
  status: number;
  text: string;
  isReplayed?: boolean;
}

/** A gateway before Stripe reports in its own format that it gets no response. */
const GATEWAY: Reply = { status: 504, text: JSON.stringify({ message: 'The upstream server is timing out' }) };

type Reads = 'are answered' | 'are lost' | 'are answered by a gateway';

interface Fault {
  readonly path: RegExp;
  readonly fault: StripeFault;
  /** Absent: for all merchants. */
  readonly merchantId?: string;
  /** What happens to reads of that merchant from then on. */
  readonly reads?: Reads;
}

export abstract class StripeServer extends LocalServer {
  /** The replies by key. Undefined while the first request with the key is under way. */
  readonly #saved = new Map<string, { readonly text: string; reply: Reply | undefined }>();
  #faults: Fault[] = [];
  /** The secret keys that it accepts. */
  keys: readonly string[] = [STRIPE_KEY];
  /** Whether GET requests get a response, and from where. */
  reads: Reads = 'are answered';
  /** The reads of merchants for which a request has failed. */
  readonly #readsOfMerchants = new Map<string, Reads>();
  /** The response of a gateway. */
  gateway = GATEWAY;
  /** The requests that have arrived. */
  readonly requests: { readonly method: string; readonly path: string; readonly key: string | undefined }[] = [];
  /** Requests to these paths are refused, with an error that has no code. */
  refuses: RegExp | undefined;
  /** Whether it saves the results of keys. */
  savesKeys = true;
  /** What happens after a request has acted, and before its response. */
  beforeResponse: ((path: string) => Promise<void>) | undefined;

  /** Does what a request asks. Throws an `ApiError` if it refuses. */
  protected abstract run(request: StripeRequest): Thing | Promise<Thing>;

  /** The merchant that a request is about, as far as the request says. */
  protected merchantOf({ key }: Sent): string | undefined {
    return key?.split(':')[0];
  }

  failNext({ times = 1, ...fault }: Fault & { readonly times?: number }): void {
    this.#faults.push(...Array.from({ length: times }, () => fault));
  }

  /** Ends what was set for all merchants. */
  heal(): void {
    this.#faults = this.#faults.filter(({ merchantId }) => merchantId !== undefined);
    this.reads = 'are answered';
    this.gateway = GATEWAY;
    this.refuses = undefined;
    this.savesKeys = true;
    this.beforeResponse = undefined;
  }

  /** Returns whether a request of the merchant has failed. */
  healFor(merchantId: string): boolean {
    this.#faults = this.#faults.filter((each) => each.merchantId !== merchantId);
    return this.#readsOfMerchants.delete(merchantId);
  }

  /** Stripe deletes keys after a day. */
  forgetKeys(merchantId?: string): void {
    for (const key of this.#saved.keys()) {
      if (merchantId === undefined || key.startsWith(`${merchantId}:`)) this.#saved.delete(key);
    }
  }

  protected override async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', headers } = incoming;
    const { pathname: path, searchParams } = new URL(incoming.url ?? '', 'http://x');
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const key = headers['idempotency-key'] as string | undefined;
    this.requests.push({ method, path, key });
    const params = method === 'GET' ? searchParams : new URLSearchParams(text);
    const send = (reply: Reply) =>
      outgoing
        .writeHead(reply.status, {
          'content-type': 'application/json',
          'request-id': newId('req'),
          ...(reply.isReplayed && { 'idempotent-replayed': 'true' }),
          ...(reply.status >= 500 && { 'stripe-should-retry': 'true' }),
        })
        .end(reply.text);
    if (!this.keys.includes(headers.authorization?.replace(/^Bearer /, '') ?? ''))
      return void send(toReply(invalid('Invalid API Key provided: sk_test_****', {}, 401)));
    const sent = { method, path, params, key, text: path + text };
    const merchantId = this.merchantOf(sent);
    const reads = this.#readsOfMerchants.get(merchantId ?? '') ?? this.reads;
    if (method === 'GET' && reads === 'are lost') return void incoming.socket.destroy();
    if (method === 'GET' && reads === 'are answered by a gateway') return void send(this.gateway);
    const strikes = (each: Fault) =>
      each.path.test(path) && (each.merchantId === undefined || each.merchantId === merchantId);
    const index = method === 'GET' ? -1 : this.#faults.findIndex(strikes);
    const [found] = index < 0 ? [] : this.#faults.splice(index, 1);
    if (found?.merchantId !== undefined) this.#readsOfMerchants.set(found.merchantId, found.reads ?? 'are answered');
    const act = () => this.#act(sent);
    switch (found?.fault) {
      case 'is lost':
        return void incoming.socket.destroy();
      case 'hangs':
        return;
      case 'is answered with 500':
      case 'is answered with 500 after it has acted': {
        if (found.fault !== 'is answered with 500') await act();
        const failure = toReply(new ApiError(500, { type: 'api_error', message: 'An unknown error occurred.' }));
        if (key !== undefined && this.savesKeys) this.#saved.set(key, { text: sent.text, reply: failure });
        return void send(failure);
      }
      case 'arrives twice':
        await act();
    }
    const first = found?.fault === 'arrives twice at the same time' ? act() : undefined;
    const reply = await act();
    await first;
    await this.beforeResponse?.(path);
    if (found?.fault === 'is lost after it has acted') return void incoming.socket.destroy();
    if (found?.fault === 'hangs after it has acted') return;
    if (found?.fault === 'is answered by a gateway after it has acted') return void send(this.gateway);
    const isHalf = found?.fault === 'is answered with half a body';
    send(isHalf ? { ...reply, text: reply.text.slice(0, reply.text.length / 2) } : reply);
  }

  async #act(sent: Sent): Promise<Reply> {
    const { key } = sent;
    if (key === undefined || sent.method !== 'POST' || !this.savesKeys) return this.#reply(sent);
    const saved = this.#saved.get(key);
    if (saved && saved.text !== sent.text) return OTHER_PARAMETERS;
    if (saved) return saved.reply ? { ...saved.reply, isReplayed: true } : IN_USE;
    const begun: { readonly text: string; reply: Reply | undefined } = { text: sent.text, reply: undefined };
    this.#saved.set(key, begun);
    begun.reply = await this.#reply(sent);
    return begun.reply;
  }

  async #reply(request: StripeRequest): Promise<Reply> {
    const { method, path } = request;
    try {
      if (method === 'POST' && this.refuses?.test(path)) throw invalid('Your account cannot do this.');
      return { status: 200, text: JSON.stringify(await this.run(request)) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return toReply(error);
    }
  }
}

function toReply({ status, fields }: ApiError): Reply {
  return { status, text: JSON.stringify({ error: fields }) };
}

const OTHER_PARAMETERS = toReply(
  new ApiError(400, { type: 'idempotency_error', message: 'Keys can only be used with the same parameters' }),
);

const IN_USE = toReply(
  invalid(
    'There is currently another in-progress request using this Idempotent Key.',
    { code: 'idempotency_key_in_use' },
    409,
  ),
);
