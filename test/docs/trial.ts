/** A business for one example. Its clock is frozen. */
import { SAMPLE_IDS } from '../../src/api/sample-ids.js';
import { made } from '../contract/business.js';
import { pollUntil } from '../support/clock.js';
import type { TestServer } from '../support/server.js';

export type Samples = Readonly<Record<string, string>>;

// biome-ignore lint/suspicious/noExplicitAny: responses of several operations, of which a member or two is read
export type Json = any;

/** Where the examples say that a receiver of webhooks runs. */
export const SAMPLE_RECEIVER = 'http://localhost:3000/webhooks';

const PATIENCE_MS = 20_000;

export class Trial {
  readonly server: TestServer;
  readonly merchantId: string;
  readonly locationId: string;
  readonly token: string;
  /** Where webhooks are sent. */
  readonly receiverUrl: string;

  private constructor(server: TestServer, receiverUrl: string, { id, token, locationIds: [location = ''] }: Opened) {
    [this.server, this.receiverUrl] = [server, receiverUrl];
    [this.merchantId, this.locationId, this.token] = [id, location, token];
  }

  static async open(
    server: TestServer,
    receiverUrl: string,
    { now = '2026-03-02T18:00:00Z', owner }: { readonly now?: string; readonly owner?: object } = {},
  ): Promise<Trial> {
    const opened = await server.createMerchant({
      business_name: 'Juniper & Rye',
      timezone: 'America/Los_Angeles',
      locations: [{ name: 'Mission Street' }],
      clock: { now, frozen: true },
      ...(owner && { owner }),
    });
    return new Trial(server, receiverUrl, opened);
  }

  get samples(): Samples {
    return { [SAMPLE_IDS.merchant_id]: this.merchantId, [SAMPLE_IDS.location_id]: this.locationId };
  }

  async operate(method: string, path: string, body?: object): Promise<Json> {
    return made(await this.server.operator(method, `/api/sandbox/${path}`, body));
  }

  /** An operation on the merchant of this trial. */
  ofMerchant(method: string, path: string, body?: object): Promise<Json> {
    return this.operate(method, `merchants/${this.merchantId}/${path}`, body);
  }

  async pay(change: object = {}): Promise<{ readonly paymentId: string; readonly requestId: string }> {
    const answer = await this.server.call('POST', '/v2/payments', {
      token: this.token,
      body: {
        ...{ source_id: 'cnon:card-nonce-ok', idempotency_key: 'order-1042', location_id: this.locationId },
        amount_money: { amount: 2400, currency: 'USD' },
        ...change,
      },
    });
    return { paymentId: made(answer).payment.id, requestId: String(answer.headers['x-request-id']) };
  }

  /** An application that may read the payments of the merchant. Returns its id. */
  async authorize(): Promise<string> {
    const { application } = await this.operate('POST', 'applications', { name: 'Bookkeeping' });
    const body = { application_id: application.id, permissions: ['PAYMENTS_READ'] };
    await this.ofMerchant('POST', 'authorizations', body);
    return application.id;
  }

  async subscribe(): Promise<string> {
    const applicationId = await this.authorize();
    const subscription = { name: 'Payments', event_types: ['payment.created'], notification_url: this.receiverUrl };
    await this.operate('POST', `applications/${applicationId}/webhook-subscriptions`, { subscription });
    return applicationId;
  }

  /** A payment that was paid out. Returns the id of the settlement. */
  async settle(): Promise<string> {
    await this.ofMerchant('POST', 'bank-accounts', {});
    await this.pay();
    await this.ofMerchant('POST', 'clock', { advance: 'P2D' });
    const [settlement] = made(
      await this.server.call('GET', `/v1/${this.locationId}/settlements`, { token: this.token }),
    );
    return settlement.id;
  }

  /** A disputed payment. Returns its id. */
  async dispute(): Promise<string> {
    const { paymentId } = await this.pay();
    await this.ofMerchant('POST', `payments/${paymentId}/hold`, {});
    return paymentId;
  }

  /** A webhook that was received. */
  async deliver(): Promise<Json> {
    await this.subscribe();
    await this.pay();
    const find = async () => (await this.ofMerchant('GET', 'webhook-deliveries')).deliveries;
    const [delivery] = await pollUntil(find, ([first]) => first?.state === 'DELIVERED', PATIENCE_MS);
    return delivery;
  }
}

type Opened = Awaited<ReturnType<TestServer['createMerchant']>>;
