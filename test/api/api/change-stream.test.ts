/** The stream of changes: what it tells, to whom, across servers, and when it ends (decision 0150). */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChangeReader } from '../../support/change-stream.js';
import { changeClock, pollUntil } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { createEmployee } from '../../support/employees.js';
import { pay, usd } from '../../support/payments.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const PATH = '/api/dashboard/changes';

let one: TestServer;
let two: TestServer;
let owner: TestOwner;
const sent: string[] = [];
const open: ChangeReader[] = [];

beforeAll(async () => {
  const onStatement = (text: string) => void sent.push(text);
  one = await startTestServer({ onStatement });
  two = await startTestServer({ databaseUrl: one.databaseUrl, onStatement });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});

async function watch(server: TestServer = one, { cookie }: TestOwner = owner): Promise<ChangeReader> {
  const reader = await ChangeReader.open(server.baseUrl, cookie);
  open.push(reader);
  return reader;
}

/** Opens a stream, and waits until all servers know of it. */
async function watchKnown(server: TestServer = one, by: TestOwner = owner): Promise<ChangeReader> {
  const reader = await watch(server, by);
  expect((await reader.next('all'))?.name).toBe('change');
  return reader;
}

/** Longer than a server waits before it announces changes: only then is it clear that it announces none. */
const announcementTime = () => new Promise((resolve) => setTimeout(resolve, 400));

const announcements = () => sent.filter((text) => /announce_changes|watch_merchant\b/.test(text)).length;

describe('a stream of changes', () => {
  it('is an event stream for the owner only', async () => {
    owner = await createOwner(one);
    const { response, events } = await watch();
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(response.headers['cache-control']).toBe('no-store');
    await pollUntil(
      async () => events.length,
      (count) => count > 0,
      2000,
    );
    expect(events[0]?.name).toBe('ready');
    expect((await one.call('GET', PATH)).status).toBe(401);
    expect((await one.call('GET', PATH, { token: owner.merchant.token })).status).toBe(401);
    for (const method of ['HEAD', 'POST', 'DELETE']) {
      expect([method, (await owner.call(method, PATH)).status]).toEqual([method, 404]);
    }
  });

  it('tells what changed on its server, to this merchant only', async () => {
    owner = await createOwner(one);
    const [reader, other] = [await watchKnown(), await watchKnown(one, await createOwner(one))];
    const [seen, seenByOther] = [reader.events.length, other.events.length];
    await pay(one, owner.merchant);
    const respondedAt = performance.now();
    const change = await reader.next('sales', seen);
    expect((change?.at ?? Number.POSITIVE_INFINITY) - respondedAt).toBeLessThan(1000);
    await createEmployee(one, owner.merchant);
    expect(await reader.next('employees', seen)).toBeDefined();
    expect(other.events.slice(seenByOther)).toEqual([]);
  });

  it('tells within a second what changed on another server', async () => {
    owner = await createOwner(one);
    const reader = await watchKnown();
    // The other server has read meanwhile that somebody watches.
    expect((await two.call('GET', '/v2/payments', { token: owner.merchant.token })).status).toBe(200);
    const seen = reader.events.length;
    await pay(two, owner.merchant);
    const committedAt = performance.now();
    const change = await reader.next('sales', seen);
    expect((change?.at ?? Number.POSITIVE_INFINITY) - committedAt).toBeLessThan(1000);
    const approval = `/api/sandbox/merchants/${owner.merchant.id}/approval`;
    expect((await two.operator('PUT', approval, { approved: false })).status).toBe(200);
    expect(await reader.next('all', seen)).toBeDefined();
  });

  it('tells what a worker did, whichever server it runs on', async () => {
    owner = await createOwner(one);
    const [atOne, atTwo] = [await watchKnown(one), await watch(two)];
    const payment = await pay(one, owner.merchant);
    const body = { idempotency_key: 'refund', payment_id: payment.id, amount_money: usd(500) };
    const refund = await one.call('POST', '/v2/refunds', { token: owner.merchant.token, body });
    expect(refund.body.refund.status).toBe('PENDING');
    const [seenAtOne, seenAtTwo] = [atOne.events.length, atTwo.events.length];
    await pollUntil(
      () => one.call('GET', `/v2/refunds/${refund.body.refund.id}`, { token: owner.merchant.token }),
      (answer) => answer.body.refund.status === 'COMPLETED',
      10_000,
    );
    expect(await atOne.next('refunds', seenAtOne)).toBeDefined();
    expect(await atTwo.next('refunds', seenAtTwo)).toBeDefined();
  });

  it('costs no statement while nobody watches', async () => {
    owner = await createOwner(one);
    await pay(one, owner.merchant);
    await createEmployee(two, owner.merchant);
    expect((await owner.call('POST', '/api/dashboard/session/confirm', { body: { password: 'x' } })).status).toBe(403);
    await announcementTime();
    const before = announcements();
    await pay(one, owner.merchant);
    await announcementTime();
    expect(announcements()).toBe(before);
  });

  it('costs no statement for the changes of the only server that watches', async () => {
    owner = await createOwner(one);
    const reader = await watchKnown();
    const before = sent.filter((text) => text.includes('announce_changes')).length;
    const seen = reader.events.length;
    await pay(one, owner.merchant);
    expect(await reader.next('sales', seen)).toBeDefined();
    await announcementTime();
    expect(sent.filter((text) => text.includes('announce_changes')).length).toBe(before);
  });

  it('ends when its owner signs out, also on another server', async () => {
    owner = await createOwner(one);
    const [here, there] = [await watch(one), await watch(two)];
    await owner.call('DELETE', '/api/dashboard/session');
    expect([await here.untilOver(), await there.untilOver()]).toEqual([true, true]);
    expect([here.events.at(-1)?.name, there.events.at(-1)?.name]).toEqual(['end', 'end']);
  });

  it('ends when its session expires', async () => {
    owner = await createOwner(one);
    const reader = await watch();
    await one.database.sql`
      update sessions set expires_at = created_at where merchant_id = ${owner.merchant.id}`;
    expect(await reader.untilOver()).toBe(true);
    expect(reader.events.at(-1)?.name).toBe('end');
  });

  it('has a limit for each account', async () => {
    owner = await createOwner(one);
    for (let count = 0; count < 10; count++) await watch();
    const refused = await watch();
    expect([refused.response.statusCode, refused.response.headers['retry-after']]).toEqual([429, '30']);
    open[0]?.close();
    const again = await pollUntil(
      () => watch(),
      ({ response }) => response.statusCode === 200,
      2000,
    );
    expect(again.response.statusCode).toBe(200);
  });

  it('tells that everything may have changed when the operator moves the clock', async () => {
    owner = await createOwner(one);
    const reader = await watchKnown();
    const seen = reader.events.length;
    await changeClock(one, owner.merchant.id, { advance: 'P2D' });
    expect(await reader.next('all', seen)).toBeDefined();
  });

  it('ends at once when its server stops, which waits for nothing', async () => {
    const stopping = await startTestServer({ databaseUrl: one.databaseUrl });
    owner = await createOwner(stopping);
    const reader = await watch(stopping);
    const startedAt = performance.now();
    await stopping.stop();
    expect(performance.now() - startedAt).toBeLessThan(3000);
    expect(await reader.untilOver()).toBe(true);
    expect(reader.events.map(({ name }) => name)).not.toContain('end');
  });
});
