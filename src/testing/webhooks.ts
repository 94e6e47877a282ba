/** Collects webhooks in tests: an authorized application subscribes with a receiver in this process. */
import { callSandbox, callServer, type SandboxServer, type ServerCall } from '../sandbox-client.js';
import { checkName, checkOptions } from './options.js';
import { type Message, openReceiver } from './receiver.js';
import {
  V1_WEBHOOK_TYPES,
  type V1WebhookType,
  V2_WEBHOOK_TYPES,
  type V2WebhookType,
  WEBHOOK_TYPES,
  type WebhookType,
} from './webhook-types.js';

export interface V2WebhookEvent {
  readonly merchant_id: string;
  readonly type: V2WebhookType;
  /** The same in every delivery of this event, so that a receiver can detect duplicates. */
  readonly event_id: string;
  readonly created_at: string;
  readonly data: {
    readonly type: 'payment' | 'refund' | 'revocation';
    readonly id: string;
    /** The record at the time of the event, under the name of its type, such as `object.payment`. */
    // biome-ignore lint/suspicious/noExplicitAny: as the operation that shows it describes it
    readonly object: Readonly<Record<string, any>>;
  };
}

export interface V1WebhookEvent {
  readonly merchant_id: string;
  readonly location_id: string;
  readonly event_type: V1WebhookType;
  readonly entity_id: string;
}

export interface CaughtWebhook<Type extends WebhookType = WebhookType> {
  readonly type: Type;
  /** The parsed body. */
  readonly event: Type extends V1WebhookType ? V1WebhookEvent : V2WebhookEvent;
  /** The exact body; the signature covers it. */
  readonly body: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The signature also covers the URL. */
  readonly url: string;
  readonly signatureKey: string;
}

export interface CatchOptions {
  /** Default: all v2 types. v1 types can be added. */
  readonly types?: readonly WebhookType[];
}

export interface WebhookInbox {
  /** The subscribed application; the merchant has granted it all permissions. */
  readonly applicationId: string;
  /** The URL and signature key of v2 webhooks. */
  readonly url: string;
  readonly signatureKey: string;
  /** All webhooks received so far, in order of arrival. */
  readonly events: readonly CaughtWebhook[];
  /** Returns the first webhook, of one type or any, that `next` has not returned yet. Waits for it; default: 3 seconds. */
  next<Type extends WebhookType = WebhookType>(
    type?: Type,
    options?: { readonly timeoutMs?: number },
  ): Promise<CaughtWebhook<Type>>;
  /** Sets the response to the next `times` webhooks; default: 1. Other webhooks get 200. A status outside 2xx causes a retry. */
  answer(status: number, options?: { readonly times?: number; readonly body?: string }): void;
  /** Sends pending retries and late webhooks now, instead of minutes or hours later. Waits until there are some. */
  hurry(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Ends the subscription and the receiver. `stop()` of the kit closes all open inboxes. */
  close(): Promise<void>;
}

/** Test runners give up after 5 seconds and say less; a test also does other things before it waits. */
const TIMEOUT_MS = 3000;
const POLL_MS = 20;

export async function catchWebhooks(
  server: SandboxServer,
  merchantId: string,
  options: CatchOptions,
): Promise<WebhookInbox> {
  checkOptions<CatchOptions>('catchWebhooks', options, { types: true });
  const { types = V2_WEBHOOK_TYPES } = options;
  for (const type of types) checkName('event type', type, WEBHOOK_TYPES);
  const received = new ReceivedWebhooks();
  const receiver = await openReceiver((message) => received.add(message));
  try {
    const subscriber = await subscribe(server, merchantId, { origin: receiver.origin, types, keys: received.keys });
    const close = async (): Promise<void> => {
      await subscriber.unsubscribe().catch(() => {}); // the server may have stopped already
      await receiver.close();
    };
    let closing: Promise<void> | undefined;
    return {
      applicationId: subscriber.applicationId,
      ...subscriber.v2,
      events: received.messages,
      async next(type, options = {}) {
        checkOptions('next', options, { timeoutMs: true });
        if (type !== undefined && !types.includes(type)) {
          throw new TypeError(`This inbox does not receive '${type}', only ${types.join(', ')}.`);
        }
        return received.next(type, options.timeoutMs ?? TIMEOUT_MS);
      },
      answer(status, options = {}) {
        checkOptions('answer', options, { times: true, body: true });
        receiver.plan({ status, body: options.body ?? '' }, options.times ?? 1);
      },
      async hurry(options = {}) {
        checkOptions('hurry', options, { timeoutMs: true });
        await hurry(server, merchantId, options.timeoutMs ?? TIMEOUT_MS);
      },
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await receiver.close();
    throw error;
  }
}

/** The received webhooks, and the calls of `next` that wait. */
class ReceivedWebhooks {
  readonly messages: CaughtWebhook[] = [];
  /** Signature keys by URL: each generation has its own. */
  readonly keys = new Map<string, string>();
  readonly #unread: CaughtWebhook[] = [];
  readonly #waiting = new Set<() => void>();

  add({ path, headers, body }: Message): void {
    const event = JSON.parse(body) as V1WebhookEvent | V2WebhookEvent;
    const type = 'type' in event ? event.type : event.event_type;
    const url = `http://${headers['host']}${path}`;
    const message = { type, event, body, headers, url, signatureKey: this.keys.get(url) ?? '' } as CaughtWebhook;
    this.messages.push(message);
    this.#unread.push(message);
    for (const check of [...this.#waiting]) check();
  }

  #whatCame(): string {
    const unread = this.#unread.map(({ type }) => type).join(', ') || 'nothing';
    const read = this.messages.filter((each) => !this.#unread.includes(each)).map(({ type }) => type);
    return `Received instead: ${unread}.${read.length > 0 ? ` Returned before: ${read.join(', ')}.` : ''}`;
  }

  next<Type extends WebhookType>(type: Type | undefined, timeoutMs: number): Promise<CaughtWebhook<Type>> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const index = this.#unread.findIndex((each) => type === undefined || each.type === type);
        const [found] = index < 0 ? [] : this.#unread.splice(index, 1);
        if (!found) return;
        done();
        resolve(found as CaughtWebhook<Type>);
      };
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(`No ${type ?? 'webhook'} within ${timeoutMs} ms. ${this.#whatCame()}`));
      }, timeoutMs);
      this.#waiting.add(check);
      check();
    });
  }
}

interface Subscriber {
  readonly applicationId: string;
  readonly v2: { readonly url: string; readonly signatureKey: string };
  unsubscribe(): Promise<void>;
}

async function subscribe(
  server: SandboxServer,
  merchantId: string,
  { origin, types, keys }: { origin: string; types: readonly WebhookType[]; keys: Map<string, string> },
): Promise<Subscriber> {
  const v1Types = types.filter((type) => (V1_WEBHOOK_TYPES as readonly string[]).includes(type));
  const event_types = types.filter((type) => !v1Types.includes(type));
  const [url, v1Url] = [`${origin}/webhooks`, `${origin}/v1-webhooks`];
  const application_id = await createApplication(server);
  const grant = `merchants/${merchantId}/authorizations`;
  const { access_token: token } = await callSandbox<{ access_token: string }>(server, 'POST', grant, {
    application_id,
  });
  const call = <Body>(method: ServerCall['method'], path: string, body?: unknown) =>
    callServer<Body>({ url: server.url, token, method, path, body });
  const cleanups = [() => callSandbox(server, 'DELETE', `${grant}/${application_id}`)];
  if (event_types.length > 0) {
    const request = { subscription: { name: 'Test', event_types, notification_url: url } };
    const { subscription } = await call<CreatedSubscription>('POST', '/v2/webhooks/subscriptions', request);
    keys.set(url, subscription.signature_key);
    cleanups.unshift(() => call('DELETE', `/v2/webhooks/subscriptions/${subscription.id}`));
  }
  if (v1Types.length > 0) {
    const path = `applications/${application_id}/v1-webhook`;
    const address = { notification_url: v1Url };
    keys.set(v1Url, (await callSandbox<{ signature_key: string }>(server, 'PUT', path, address)).signature_key);
    await call('PUT', '/v1/me/webhooks', v1Types);
  }
  return {
    applicationId: application_id,
    v2: { url, signatureKey: keys.get(url) ?? '' },
    async unsubscribe() {
      for (const cleanUp of cleanups) await cleanUp();
    },
  };
}

interface CreatedSubscription {
  readonly subscription: { readonly id: string; readonly signature_key: string };
}

async function createApplication(server: SandboxServer): Promise<string> {
  const request = { name: 'Webhooks of a test' };
  const { application } = await callSandbox<{ application: { id: string } }>(server, 'POST', 'applications', request);
  return application.id;
}

/** Polls, because a retry is pending only after the server has recorded the failed attempt. */
async function hurry(server: SandboxServer, merchantId: string, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const path = `merchants/${merchantId}/webhooks/hurry`;
    if ((await callSandbox<{ deliveries: number }>(server, 'POST', path)).deliveries > 0) return;
    if (performance.now() > end) throw new Error(`No pending webhook within ${timeoutMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
