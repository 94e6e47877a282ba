import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../../src/base/money.js';
import { createAdapterProcessor } from '../../src/processor/adapter/processor.js';
import { ADAPTER_SECRET, AdapterProcess } from '../support/adapter.js';
import { runHere } from '../support/commands.js';
import { advance, approve, cancelByKey, pay, paymentBody, refund, tryToPay, usd } from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer, withServer } from '../support/server.js';

let adapter: AdapterProcess;
let server: TestServer;

beforeAll(async () => {
  adapter = await AdapterProcess.start();
  server = await startTestServer({ config: { adapter: { url: adapter.url, secret: ADAPTER_SECRET } } });
});
afterAll(async () => {
  await server.stop();
  await adapter.stop();
});

const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const reconcile = (flags: readonly string[], url = adapter.url) =>
  runHere(['reconcile', '--database-url', server.databaseUrl, '--processor', url, ...flags], {
    env: { TILLHOUSE_PROCESSOR_SECRET: ADAPTER_SECRET },
  });

async function differencesOf({ id }: TestMerchant, date = dayIn(0)) {
  const { code, stdout, stderr } = await reconcile(['--merchant', id, '--date', date, '-o', 'json']);
  expect(stderr).toBe('');
  const { compared, differences } = JSON.parse(stdout);
  expect(code).toBe(differences.length > 0 ? 1 : 0);
  return { compared, differences };
}

/** The adapter acts without the server. */
const client = () => createAdapterProcessor({ url: adapter.url, secret: ADAPTER_SECRET }, { onTrouble: () => {} });
const callOf = ({ id }: TestMerchant, paymentId: string) => ({
  key: randomUUID(),
  merchant: { id, hasRules: false },
  paymentId,
  processorId: null,
});
const chargeOf = (merchant: TestMerchant) => ({
  ...callOf(merchant, randomUUID()),
  ...{ sourceId: 'cnon:card-nonce-ok', verificationToken: undefined, amount: amount(700), currency: 'USD' },
  ...{ acceptPartial: false, capture: true },
});

/** An adapter that has only records. Undefined: it does not have them either. */
async function serveRecords(list: (url: string) => readonly object[] | undefined) {
  const only = createServer(({ url = '' }, response) => {
    const records = list(url);
    response.writeHead(records ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify({ records }));
  });
  await new Promise<void>((resolve) => only.listen(0, '127.0.0.1', resolve));
  const { port } = only.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => new Promise((resolve) => only.close(resolve)) };
}

describe('tillhouse reconcile', () => {
  it('finds no difference after payments, captures, voids, refunds, reversals and declines', async () => {
    const merchant = await server.createMerchant({ clock: { frozen: true } });
    const paid = await pay(server, merchant);
    await refund(server, merchant, paid, { amount_money: usd(400) });
    const canceled = paymentBody();
    await tryToPay(server, merchant, canceled);
    await cancelByKey(server, merchant, canceled['idempotency_key']);
    for (const how of ['complete', 'cancel']) {
      const { id } = await approve(server, merchant);
      await server.call('POST', `/v2/payments/${id}/${how}`, merchant);
    }
    await approve(server, merchant);
    await tryToPay(server, merchant, { source_id: 'cnon:card-nonce-declined' });
    await advance(server, merchant, 'PT1M');
    expect(await differencesOf(merchant)).toEqual({ compared: 7, differences: [] });
  });

  it('finds records that the two sides have dated differently', async () => {
    const merchant = await server.createMerchant();
    await advance(server, merchant, 'P3D');
    await pay(server, merchant);
    expect(await differencesOf(merchant)).toEqual({ compared: 1, differences: [] });
    expect(await differencesOf(merchant, dayIn(3))).toEqual({ compared: 1, differences: [] });
    expect(await differencesOf(merchant, dayIn(30))).toEqual({ compared: 0, differences: [] });
  });

  it('names other amounts, fees and states, and what one side does not have', async () => {
    const merchant = await server.createMerchant();
    const { sql } = server.database;
    const [costly, larger, released] = [
      await pay(server, merchant),
      await pay(server, merchant),
      await approve(server, merchant),
    ];
    await sql`update payments set fee = fee + 1 where payment_id = ${costly.id}`;
    await sql`update payments set amount = 1001, total = 1001 where payment_id = ${larger.id}`;
    await client().void(callOf(merchant, released.id));
    const stray = chargeOf(merchant);
    await client().authorize(stray);
    const simulated = await withServer({ databaseUrl: server.databaseUrl }, (other) => pay(other, merchant));

    const { compared, differences } = await differencesOf(merchant);
    expect(compared).toBe(3);
    const about = (kind: string, paymentId: string) => ({ kind, type: 'payment', payment_id: paymentId });
    expect(new Set(differences)).toEqual(
      new Set([
        expect.objectContaining({ ...about('FEE', costly.id), ours: '25 USD', theirs: '24 USD' }),
        expect.objectContaining({ ...about('AMOUNT', larger.id), ours: '1001 USD', theirs: '1000 USD' }),
        expect.objectContaining({ ...about('STATE', released.id), ours: 'authorized', theirs: 'voided' }),
        expect.objectContaining({ ...about('MISSING_HERE', stray.paymentId), theirs: 'captured 700 USD' }),
        expect.objectContaining({ ...about('MISSING_THERE', simulated.id), ours: 'captured 1000 USD' }),
      ]),
    );

    const { code, stdout } = await reconcile(['--date', dayIn(0)]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^DIFFERENCE +TYPE +MERCHANT +PAYMENT +RECORD +OURS +THEIRS\n/);
    expect(stdout).toMatch(new RegExp(`^FEE +payment +${merchant.id} +${costly.id} +rec_\\d+ +25 USD +24 USD$`, 'm'));
    expect(stdout).toContain('MISSING_THERE: we have it, the processor does not.\n');
    expect(stdout).toMatch(/: \d+ records compared, 5 differences\.\n$/);
  });

  it('finds a second charge with the same key that was made on another day', async () => {
    const merchant = await server.createMerchant();
    await advance(server, merchant, 'P3D');
    const { id: payment_id } = await pay(server, merchant);
    const record = (id: string) => ({
      ...{ type: 'payment', id, key: `${merchant.id}:${payment_id}:CREATE`, merchant_id: merchant.id, payment_id },
      ...{ created_at: '2020-02-26T10:00:00Z', state: 'captured', amount_money: usd(1000), fee: 24 },
    });
    const twice = await serveRecords((url) => [
      record('rec_1'),
      ...(url.includes('payment_id') ? [record('rec_2')] : []),
    ]);
    const { code, stdout } = await reconcile(['--merchant', merchant.id, '--date', dayIn(0)], twice.url);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^DUPLICATE +payment .* 1 difference\.\n$/ms)]);
    await twice.stop();
  });

  it('says what it cannot compare, with the exit code 2', async () => {
    const silent = await serveRecords(() => undefined);
    const cases: readonly (readonly [readonly string[], string, string])[] = [
      [['--date', '2026-02-30'], adapter.url, "not '2026-02-30'"],
      [['--timezone', 'Mars/Base'], adapter.url, 'Mars/Base'],
      [['--merchant', 'MNOBODY'], adapter.url, 'There is no merchant MNOBODY'],
      [[], 'simulator', 'The simulator keeps no records'],
      [[], silent.url, 'does not list its records'],
      [[], 'http://127.0.0.1:1', 'could not be read'],
      [['--database-url', 'postgres://127.0.0.1:1/x'], adapter.url, 'ECONNREFUSED'],
    ];
    for (const [flags, url, says] of cases) {
      const { code, stdout, stderr } = await reconcile(flags, url);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(says);
    }
    await silent.stop();
  });
});
