/** Receivers that the operator adds, switches off and deletes, and why a message did not arrive. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../../support/clock.js';
import { pay } from '../../support/payments.js';
import { Receiver } from '../../support/receiver.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;
let base: string;
beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
  base = `/api/sandbox/merchants/${merchant.id}`;
});
afterAll(() => server.stop());

const add = (body: Record<string, unknown>) => server.operator('POST', `${base}/receiver`, body);
const at = (id: string) => `${base}/webhook-subscriptions/${id}`;

describe('a receiver of a developer', () => {
  it('gets the chosen kinds of events until it is switched off or deleted', async () => {
    const receiver = await Receiver.open();
    const added = await add({ notification_url: receiver.url, event_types: ['payment.created'] });
    expect(added.body.subscription).toMatchObject({
      ...{ enabled: true, generation: 'v2', event_types: ['payment.created'], notification_url: receiver.url },
      application_name: `Receiver at ${new URL(receiver.url).hostname}`,
    });
    expect((await add({ notification_url: receiver.url })).body).toEqual(added.body); // it is the same receiver
    const { id } = added.body.subscription;
    await pay(server, merchant);
    expect((await receiver.until(1)).map(({ body }) => body.type)).toEqual(['payment.created']);

    const off = await server.operator('PUT', at(id), { subscription: { enabled: false } });
    expect(off.body.subscription).toMatchObject({ id, enabled: false });
    const { body: listed } = await server.operator('GET', `${base}/webhook-subscriptions`);
    expect(listed.subscriptions).toMatchObject([{ id, enabled: false }]);

    expect((await server.operator('DELETE', at(id))).status).toBe(200);
    expect((await server.operator('GET', `${base}/webhook-subscriptions`)).body.subscriptions).toEqual([]);
    expect((await server.operator('DELETE', at(id))).status).toBe(404);
    await receiver.close();
  });

  it('is refused with an address that is none, and unknown to other merchants', async () => {
    expect((await add({ notification_url: 'localhost' })).status).toBe(400);
    const { body } = await add({});
    const other = await server.createMerchant();
    const path = `/api/sandbox/merchants/${other.id}/webhook-subscriptions/${body.subscription.id}`;
    expect((await server.operator('PUT', path, { subscription: { enabled: false } })).status).toBe(404);
    expect((await server.operator('DELETE', path)).status).toBe(404);
    expect((await server.operator('DELETE', at(body.subscription.id))).status).toBe(200);
  });

  it('of v1 events is changed where its application sets the address', async () => {
    const created = await server.operator('POST', '/api/sandbox/applications', { name: 'Old' });
    const { id: application_id } = created.body.application;
    await server.operator('POST', `${base}/authorizations`, { application_id });
    const path = `/api/sandbox/applications/${application_id}/v1-webhook`;
    await server.operator('PUT', path, { notification_url: 'http://127.0.0.1:1/v1' });
    const { body } = await server.operator('GET', `${base}/webhook-subscriptions`);
    const old = body.subscriptions.find(({ generation }: { generation: string }) => generation === 'v1');
    const refused = await server.operator('DELETE', at(old.id));
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(path)]);
  });
});

describe('an attempt says why nothing was received', () => {
  async function failureAt(url: string): Promise<string> {
    const shop = await server.createMerchant();
    const path = `/api/sandbox/merchants/${shop.id}`;
    await server.operator('POST', `${path}/receiver`, { notification_url: url, event_types: ['payment.created'] });
    await pay(server, shop);
    const list = async () => (await server.operator('GET', `${path}/webhook-deliveries`)).body.deliveries[0];
    const { id } = await pollUntil(list, (delivery) => delivery?.attempt_count > 0, 10_000);
    const { body } = await server.operator('GET', `${path}/webhook-deliveries/${id}`);
    return body.attempts[0].answer;
  }

  it('to a host that does not exist', async () => {
    expect(await failureAt('http://nowhere.invalid/hook')).toMatch(
      /^There is no host named nowhere\.invalid \(\w+\)\.$/,
    );
  });

  it('to a port on which nothing listens', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const says = await failureAt(`http://127.0.0.1:${port}/hook`);
    expect(says).toBe(`Nothing listens at 127.0.0.1:${port} (ECONNREFUSED).`);
  });
});
