/**
 * Stripe as the package `emulate` simulates it, whose code is not ours: payment intents with their states, charges and signed events.
 * Requests reach it over HTTP, through this server. It adds what the published API has beyond the emulator, computed from the emulator's
 * charges: what was received, the latest charge with its booking, expanded objects, idempotency keys. It keeps nothing else.
 *
 * Reserving, capturing, declines, refunds and disputes are beyond the emulator. The double in stripe.ts has them.
 */
import { createEmulator, type Emulator } from 'emulate';
import type { ProcessorBooks } from './faulty-processor.js';
import { cardOf } from './stripe.js';
import { ApiError, bookCharge, type StripeRequest, StripeServer, type Thing, unrecognized } from './stripe-server.js';

const NO_REFUNDS = { object: 'list', url: '/v1/refunds', has_more: false, data: [] };

export interface EventTarget {
  readonly url: string;
  /** Signs the events. */
  readonly secret: string;
}

export class EmulatedStripe extends StripeServer {
  readonly #emulator: Emulator;

  private constructor(emulator: Emulator) {
    super();
    this.#emulator = emulator;
  }

  /** Each target gets every event, before the response to the request that caused it. */
  static async start(targets: readonly EventTarget[]): Promise<EmulatedStripe> {
    const webhooks = targets.map((target) => ({ ...target, events: ['*'] }));
    const emulator = await createEmulator({ service: 'stripe', port: 0, seed: { stripe: { webhooks } } });
    return new EmulatedStripe(emulator).listen();
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#emulator.close();
  }

  /** The emulator's own records of a kind, without what this server adds. */
  async list(kind: 'payment_intents' | 'charges'): Promise<readonly Thing[]> {
    const all: Thing[] = [];
    for (;;) {
      const after = all.length > 0 ? `&starting_after=${all.at(-1)?.['id']}` : '';
      const { data, has_more } = await this.#ask('GET', `/v1/${kind}?limit=100${after}`);
      all.push(...data);
      if (!has_more) return all;
    }
  }

  /** Its books, added up from all charges. */
  async readBooks(): Promise<Pick<ProcessorBooks, 'accounts' | 'complaints'>> {
    const accounts: ProcessorBooks['accounts'] = new Map();
    for (const { amount, metadata } of await this.list('charges')) {
      const id = metadata.tillhouse_payment;
      if (accounts.has(id)) throw new Error(`${id} is charged twice`);
      accounts.set(id, { held: amount, captured: amount, voided: false, refunded: 0 });
    }
    return { accounts, complaints: [] };
  }

  protected override async run({ method, path, params }: StripeRequest): Promise<Thing> {
    if (method === 'GET' && path === '/v1/refunds') return NO_REFUNDS;
    if (params.get('capture_method') === 'manual') throw new Error('the emulator cannot reserve money');
    const expanded = [...params].flatMap(([name, value]) => (name.startsWith('expand[') ? [value] : []));
    const answer = await this.#ask(method, method === 'GET' ? `${path}?${params}` : path, params);
    if (answer['object'] !== 'list') return this.#complete(answer, expanded);
    const ofEach = expanded.map((name) => name.replace(/^data\./, ''));
    return { ...answer, data: await Promise.all(answer['data'].map((each: Thing) => this.#complete(each, ofEach))) };
  }

  /** An intent as the published API shows it. Objects are shown by their id, unless the request expands them. */
  async #complete(intent: Thing, expanded: readonly string[]): Promise<Thing> {
    const expands = (name: string) => expanded.some((each) => each === name || each.startsWith(`${name}.`));
    const { data } = await this.#ask('GET', `/v1/charges?payment_intent=${intent['id']}&limit=100`);
    const charges: readonly Thing[] = data;
    const { payment_method: source, currency } = intent;
    const method = { id: source, object: 'payment_method', type: 'card', card: cardOf(source) };
    const [latest] = charges;
    const booked = latest && { ...bookCharge(latest['amount'], currency), id: latest['id'].replace('ch_', 'txn_') };
    const charge = latest && {
      ...latest,
      captured: true,
      refunded: false,
      payment_method_details: { type: 'card', card: method.card },
      balance_transaction: expands('latest_charge.balance_transaction') ? booked : booked?.id,
    };
    return {
      ...intent,
      amount_received: charges.reduce((sum, { amount }) => sum + amount, 0),
      last_payment_error: null,
      cancellation_reason: null,
      latest_charge: (expands('latest_charge') ? charge : latest?.['id']) ?? null,
      payment_method: expands('payment_method') ? method : source,
    };
  }

  async #ask(method: string, path: string, params?: URLSearchParams): Promise<Thing> {
    const response = await fetch(this.#emulator.url + path, {
      method,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      ...(method !== 'GET' && { body: String(params) }),
    });
    const body = (await response.json()) as Thing;
    if (response.ok) return body;
    throw body['error'] ? new ApiError(response.status, body['error']) : unrecognized(method, path);
  }
}
