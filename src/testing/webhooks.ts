/** Webhooks as tests catch them: an application that a merchant allows, subscribed to a receiver in this process. */
import { callSandbox, callServer, type SandboxServer, type ServerCall } from '../sandbox-client.js';
import { type Message, openReceiver } from './receiver.js';

const V2_WEBHOOK_TYPES = [
  ...(['payment.created', 'payment.updated', 'refund.created', 'refund.updated'] as const),
  'oauth.authorization.revoked',
] as const;
const V1_WEBHOOK_TYPES = ['PAYMENT_UPDATED', 'TIMECARD_UPDATED'] as const;

export type V2WebhookType = (typeof V2_WEBHOOK_TYPES)[number];
export type V1WebhookType = (typeof V1_WEBHOOK_TYPES)[number];
export type WebhookType = V2WebhookType | V1WebhookType;

export interface V2WebhookEvent {
  readonly merchant_id: string;
  readonly type: V2WebhookType;
  /** The same in every message about this event: how a receiver tells that it has seen it already. */
  readonly event_id: string;
  readonly created_at: string;
  readonly data: {
    readonly type: 'payment' | 'refund' | 'revocation';
    readonly id: string;
    /** What it is about under its own name, as it stood then: `object.payment`, say. */
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
  /** The body, read. */
  readonly event: Type extends V1WebhookType ? V1WebhookEvent : V2WebhookEvent;
  /** As it was sent, byte for byte: this is what is signed. */
  readonly body: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What its signature is made with, besides the body. */
  readonly url: string;
  readonly signatureKey: string;
}

export interface CatchOptions {
  /** Absent: all of the second generation. Those of the first may be named beside them. */
  readonly types?: readonly WebhookType[];
}

export interface WebhookInbox {
  /** Of the application that hears what happens: the merchant allows it everything. */
  readonly applicationId: string;
  /** Where messages of the second generation are sent, and what signs them. */
  readonly url: string;
  readonly signatureKey: string;
  /** All that was caught so far, in the order of arrival. */
  readonly events: readonly CaughtWebhook[];
  /** The first message that nobody has had by `next` yet, of one type or any; waits for it, 5 seconds where not said. */
  next<Type extends WebhookType = WebhookType>(
    type?: Type,
    options?: { readonly timeoutMs?: number },
  ): Promise<CaughtWebhook<Type>>;
  /** Answers the next message so, or the next `times`; afterwards 200 again. Anything but 2xx makes it come again. */
  answer(status: number, options?: { readonly times?: number; readonly body?: string }): void;
  /** Has tried now what would be tried minutes or hours later, retries and late messages; waits until there is something. */
  hurry(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Ends the subscription and the receiver; `stop()` of the kit does so for those that are left. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 5000;
const PAUSE_MS = 20;

export async function catchWebhooks(
  server: SandboxServer,
  merchantId: string,
  { types = V2_WEBHOOK_TYPES }: CatchOptions,
): Promise<WebhookInbox> {
  const caught = new Catch();
  const receiver = await openReceiver((message) => caught.add(message));
  try {
    const subscriber = await subscribe(server, merchantId, { origin: receiver.origin, types, keys: caught.keys });
    const close = async (): Promise<void> => {
      await subscriber.unsubscribe().catch(() => {}); // the server may be gone
      await receiver.close();
    };
    let closing: Promise<void> | undefined;
    return {
      applicationId: subscriber.applicationId,
      ...subscriber.second,
      events: caught.messages,
      next: (type, { timeoutMs = TIMEOUT_MS } = {}) => caught.next(type, timeoutMs),
      answer: (status, { times = 1, body = '' } = {}) => receiver.plan({ status, body }, times),
      hurry: ({ timeoutMs = TIMEOUT_MS } = {}) => hurry(server, merchantId, timeoutMs),
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

/** What was caught, and who waits for more. */
class Catch {
  readonly messages: CaughtWebhook[] = [];
  /** By address: each generation has its own. */
  readonly keys = new Map<string, string>();
  readonly #untaken: CaughtWebhook[] = [];
  readonly #waiting = new Set<() => void>();

  add({ path, headers, body }: Message): void {
    const event = JSON.parse(body) as V1WebhookEvent | V2WebhookEvent;
    const type = 'type' in event ? event.type : event.event_type;
    const url = `http://${headers['host']}${path}`;
    const message = { type, event, body, headers, url, signatureKey: this.keys.get(url) ?? '' } as CaughtWebhook;
    this.messages.push(message);
    this.#untaken.push(message);
    for (const look of [...this.#waiting]) look();
  }

  next<Type extends WebhookType>(type: Type | undefined, timeoutMs: number): Promise<CaughtWebhook<Type>> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const index = this.#untaken.findIndex((each) => type === undefined || each.type === type);
        const [found] = index < 0 ? [] : this.#untaken.splice(index, 1);
        if (!found) return;
        done();
        resolve(found as CaughtWebhook<Type>);
      };
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      const timer = setTimeout(() => {
        done();
        const came = this.messages.map((each) => each.type).join(', ') || 'nothing';
        reject(new Error(`No ${type ?? 'webhook'} within ${timeoutMs} ms; caught so far: ${came}.`));
      }, timeoutMs);
      this.#waiting.add(look);
      look();
    });
  }
}

interface Subscriber {
  readonly applicationId: string;
  readonly second: { readonly url: string; readonly signatureKey: string };
  unsubscribe(): Promise<void>;
}

async function subscribe(
  server: SandboxServer,
  merchantId: string,
  { origin, types, keys }: { origin: string; types: readonly WebhookType[]; keys: Map<string, string> },
): Promise<Subscriber> {
  const first = types.filter((type) => (V1_WEBHOOK_TYPES as readonly string[]).includes(type));
  const event_types = types.filter((type) => !first.includes(type));
  const [url, v1Url] = [`${origin}/webhooks`, `${origin}/v1-webhooks`];
  const application_id = await createApplication(server);
  const grant = `merchants/${merchantId}/authorizations`;
  const { access_token: token } = await callSandbox<{ access_token: string }>(server, 'POST', grant, {
    application_id,
  });
  const call = <Body>(method: ServerCall['method'], path: string, body?: unknown) =>
    callServer<Body>({ url: server.url, token, method, path, body });
  const endings = [() => callSandbox(server, 'DELETE', `${grant}/${application_id}`)];
  if (event_types.length > 0) {
    const asked = { subscription: { name: 'Test', event_types, notification_url: url } };
    const { subscription } = await call<Subscribed>('POST', '/v2/webhooks/subscriptions', asked);
    keys.set(url, subscription.signature_key);
    endings.unshift(() => call('DELETE', `/v2/webhooks/subscriptions/${subscription.id}`));
  }
  if (first.length > 0) {
    const path = `applications/${application_id}/v1-webhook`;
    const address = { notification_url: v1Url };
    keys.set(v1Url, (await callSandbox<{ signature_key: string }>(server, 'PUT', path, address)).signature_key);
    await call('PUT', '/v1/me/webhooks', first);
  }
  return {
    applicationId: application_id,
    second: { url, signatureKey: keys.get(url) ?? '' },
    async unsubscribe() {
      for (const end of endings) await end();
    },
  };
}

interface Subscribed {
  readonly subscription: { readonly id: string; readonly signature_key: string };
}

async function createApplication(server: SandboxServer): Promise<string> {
  const asked = { name: 'Webhooks caught by a test' };
  const { application } = await callSandbox<{ application: { id: string } }>(server, 'POST', 'applications', asked);
  return application.id;
}

/** What was answered a moment ago waits for its next try only once that is recorded. */
async function hurry(server: SandboxServer, merchantId: string, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const path = `merchants/${merchantId}/webhooks/hurry`;
    if ((await callSandbox<{ deliveries: number }>(server, 'POST', path)).deliveries > 0) return;
    if (performance.now() > end) throw new Error(`Nothing to hurry within ${timeoutMs} ms: no message waits.`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
