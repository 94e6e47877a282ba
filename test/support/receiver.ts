/** A webhook receiver: a real HTTP server that keeps the requests it received. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Database } from '../../src/database/database.js';
import { pollUntil } from './clock.js';
import type { TestServer } from './server.js';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects, and fails if they are missing
  readonly body: any;
}

type Answering = (response: ServerResponse, received: Received) => void;

export const answer =
  (status: number, text = '', headers: Record<string, string> = {}): Answering =>
  (response) =>
    response.writeHead(status, headers).end(text);

const PATIENCE_MS = 5_000;

export class Receiver {
  readonly received: Received[] = [];
  /** Handles each request from now on. If it does nothing, the request gets no response. */
  answering: Answering = answer(200, 'thanks');
  readonly #http: Server;

  private constructor() {
    this.#http = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      const received = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) };
      this.received.push(received);
      this.answering(response, received);
    });
  }

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#http.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/hook`;
  }

  /** The received requests, as soon as there are this many or the time is up. */
  async until(count: number, limitMs: number = PATIENCE_MS): Promise<readonly Received[]> {
    await pollUntil(
      async () => this.received.length,
      (length) => length >= count,
      limitMs,
    );
    return this.received;
  }

  kinds(): string[] {
    return this.received.map(({ body }) => body.type ?? body.event_type);
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}

export const ALL_EVENTS = [
  ...['payment.created', 'payment.updated', 'refund.created', 'refund.updated'],
  'oauth.authorization.revoked',
];

export interface WireSubscription {
  readonly id: string;
  readonly notification_url: string;
  readonly signature_key: string;
  readonly enabled: boolean;
}

export async function subscribe(
  server: TestServer,
  { token }: { readonly token: string },
  notification_url: string,
  change: Record<string, unknown> = {},
): Promise<WireSubscription> {
  const subscription = { name: 'Ours', event_types: ALL_EVENTS, notification_url, ...change };
  const { status, text, body } = await server.call('POST', '/v2/webhooks/subscriptions', {
    token,
    body: { subscription },
  });
  if (status !== 200) throw new Error(`not subscribed: ${text}`);
  return body.subscription;
}

/** Makes all waiting deliveries due now, instead of minutes or hours later. */
export async function makeDeliveriesDue({ database }: TestServer): Promise<void> {
  // What is recorded of an attempt in flight would postpone its delivery again.
  const listInFlight = () => database.sql`select from webhook_deliveries where leased_until > now()`;
  await pollUntil(listInFlight, (found) => found.length === 0, 2_000);
  await database.sql`
    update webhook_deliveries set run_at = now() - interval '1 second', leased_until = null where run_at is not null`;
}

/** The deliveries of a merchant, newest first, when all are final or the time is up. */
export async function untilDeliveriesFinal(server: TestServer, merchantId: string, limitMs: number = PATIENCE_MS) {
  const { body } = await pollUntil(
    () => server.operator('GET', `/api/sandbox/merchants/${merchantId}/webhook-deliveries?limit=200`),
    ({ body: { deliveries } }) => deliveries.every(({ state }: { state: string }) => state !== 'WAITING'),
    limitMs,
  );
  return body.deliveries;
}

/** Deliveries never become due from now on. */
export async function keepWaiting({ transaction }: Pick<Database, 'transaction'>): Promise<void> {
  await transaction(async (tx) => {
    // Citus refuses triggers on distributed tables unless this is set. Plain PostgreSQL ignores it.
    await tx`set local citus.enable_unsafe_triggers = on`;
    await tx.unsafe(`
      create function never_due() returns trigger language plpgsql as
      $$ begin new.run_at := 'infinity'; return new; end $$`);
    await tx.unsafe(
      'create trigger waiting before insert on webhook_deliveries for each row execute function never_due()',
    );
  });
}
