import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advance, approve, cancelByKey, expectBooksInOrder, pay, tryToPay, usd, walk } from '../../support/payments.js';
import { cash, item } from '../../support/register-sales.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const START = '2020-02-26T10:15:30.154Z';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const open = () =>
  server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }], clock: { now: START, frozen: true } });
const pathOf = ({ locationIds }: TestMerchant, place = 0) => `/v2/locations/${locationIds[place]}/transactions`;

async function listed(who: TestMerchant, query = '', place = 0): Promise<string[]> {
  const pages = await walk(server, who, `${pathOf(who, place)}?${query}`);
  return pages.flatMap(({ body }) => body.transactions.map(({ id }: { id: string }) => id));
}

describe('v2.listTransactions', () => {
  it('returns the captured payments of its location, and neither pending nor failed ones', async () => {
    const who = await open();
    const { id } = await pay(server, who);
    const waiting = await approve(server, who);
    const failed = await tryToPay(server, who, { source_id: 'cnon:card-nonce-declined' });
    const elsewhere = await pay(server, who, { location_id: who.locationIds[1] });
    expect(await listed(who)).toEqual([id]);
    expect(await listed(who, '', 1)).toEqual([elsewhere.id]);
    for (const [other, place] of [
      [waiting.id, 0],
      [failed.body.payment.id, 0],
      [elsewhere.id, 0],
    ] as const) {
      const { status } = await server.call('GET', `${pathOf(who, place)}/${other}`, { token: who.token });
      expect(status).toBe(404);
    }
  });

  it('returns each once, page by page in both orders, and includes the begin of a range but not its end', async () => {
    const who = await open();
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      ids.push((await pay(server, who)).id);
      await advance(server, who, 'PT1H');
    }
    for (const limit of [1, 2, 100]) {
      expect(await listed(who, `limit=${limit}`)).toEqual(ids.toReversed());
      expect(await listed(who, `limit=${limit}&sort_order=ASC`)).toEqual(ids);
    }
    const range = 'begin_time=2020-02-26T11:15:30.154Z&end_time=2020-02-26T13:15:30.154Z';
    for (const order of ['ASC', 'DESC']) {
      expect((await listed(who, `${range}&sort_order=${order}`)).toSorted()).toEqual(ids.slice(1, 3).toSorted());
    }
  });

  it('returns a reversed payment as voided, with its refund', async () => {
    const who = await open();
    const { id } = await pay(server, who, { idempotency_key: 'reversed' });
    await cancelByKey(server, who, 'reversed');
    const { body } = await server.call('GET', `${pathOf(who)}/${id}`, { token: who.token });
    expect(body.transaction).toMatchObject({
      tenders: [{ id, card_details: { status: 'VOIDED' } }],
      refunds: [{ tender_id: id, status: 'APPROVED', amount_money: usd(1000), processing_fee_money: usd(59) }],
    });
  });

  it('returns a gift card as such, and omits a sale that is not paid in full', async () => {
    const who = await open();
    const { id } = await pay(server, who, { source_id: 'cnon:gift-card-nonce-ok' });
    const { body } = await server.call('GET', `${pathOf(who)}/${id}`, { token: who.token });
    expect(body.transaction.tenders).toMatchObject([
      { type: 'SQUARE_GIFT_CARD', card_details: { status: 'CAPTURED' } },
    ]);

    const registers = `/api/sandbox/merchants/${who.id}/registers`;
    const { device_token, session } = (await server.operator('POST', registers, { location_id: who.locationIds[0] }))
      .body;
    const sale = { id: crypto.randomUUID(), itemizations: [item(1000)], tenders: [cash(400)] };
    const headers = { 'tillhouse-employee-session': session };
    const sold = await server.call('POST', '/api/register/sales', { token: device_token, headers, body: sale });
    expect(sold.body.sale.state, sold.text).toBe('OPEN');
    expect(await listed(who)).toEqual([id]);
    const [tender] = sold.body.sale.tenders;
    expect((await server.call('GET', `${pathOf(who)}/${tender.id}`, { token: who.token })).status).toBe(404);
  });
});
