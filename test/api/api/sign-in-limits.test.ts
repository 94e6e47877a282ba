/** Guessing of passwords and passcodes: which sign-ins are limited, and which never are (decisions 0081, 0121). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../../support/browser.js';
import { pollUntil } from '../../support/clock.js';
import { createOwner, newOwnerEmail, PASSWORD, signIn } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { authorizeUrl, createApplication } from '../../support/oauth.js';
import { hire, PASSCODE, pairDevice } from '../../support/people.js';
import { withFullHashes } from '../../support/quick-argon2.js';
import { ACCOUNT_KEY, startTestServer, type TestServer, withSharedDatabase } from '../../support/server.js';

const WRONG = 'a wrong guess';

const serve = withSharedDatabase(); // limits are counted in memory, so each server counts for itself

/** All cookies that a browser keeps from a response. */
function cookiesOf({ headers }: ApiResponse): string {
  return [headers['set-cookie'] ?? []]
    .flat()
    .map((each) => each.split(';', 1)[0])
    .join('; ');
}

const from = (address: string) => ({ 'x-forwarded-for': address });

/** Hashes take their time here, so that the attempts overlap. */
function atOnce(count: number, attempt: (index: number) => Promise<ApiResponse>): Promise<ApiResponse[]> {
  return withFullHashes(() => Promise.all(Array.from({ length: count }, (_, index) => attempt(index))));
}

async function lockOut(server: TestServer, email: string, headers: Record<string, string> = {}): Promise<void> {
  for (let guess = 0; guess < 5; guess++) expect((await signIn(server, email, WRONG, headers)).status).toBe(401);
  expect((await signIn(server, email, PASSWORD, headers)).status).toBe(429);
}

describe('a known device of the owner', () => {
  /** Each test has accounts of its own. Together they fail less often than an address may. */
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  it('is not locked out by an attacker who guesses, and does not help the attacker', async () => {
    const owner = await createOwner(server);
    const cookie = cookiesOf(await signIn(server, owner.email));
    await lockOut(server, owner.email);
    expect((await signIn(server, owner.email, PASSWORD, { cookie })).status).toBe(200);
    expect((await signIn(server, owner.email, PASSWORD)).status).toBe(429);
  });

  it('has its own attempts, and as many as any other device', async () => {
    const owner = await createOwner(server);
    const cookie = cookiesOf(await signIn(server, owner.email));
    await lockOut(server, owner.email, { cookie });
    expect((await signIn(server, owner.email)).status).toBe(200);
  });

  it('stays known after the next sign-in', async () => {
    const owner = await createOwner(server);
    const first = cookiesOf(await signIn(server, owner.email));
    const second = cookiesOf(await signIn(server, owner.email, PASSWORD, { cookie: first }));
    const nameOf = (cookies: string) => /tillhouse_device_\d+=([\w-]{22})\./.exec(cookies)?.[1];
    expect(nameOf(second)).toBe(nameOf(first));
    await lockOut(server, owner.email);
    expect((await signIn(server, owner.email, PASSWORD, { cookie: second })).status).toBe(200);
  });

  it('is known on the OAuth authorization page too', async () => {
    const [application, owner] = [await createApplication(server), await createOwner(server)];
    const browser = await new Browser().visit(authorizeUrl(server, application));
    await browser.signIn(owner.email);
    await lockOut(server, owner.email);
    await browser.visit(authorizeUrl(server, application, { session: 'false' }));
    await browser.signIn(owner.email);
    expect(browser.page.text).toContain('name="decision"');
    const stranger = await new Browser().visit(authorizeUrl(server, application));
    expect((await stranger.signIn(owner.email)).page.status).toBe(429);
  });

  it('is unknown to another account, with a forged cookie, and after the password changed', async () => {
    const [one, two] = [await createOwner(server), await createOwner(server)];
    const cookie = cookiesOf(await signIn(server, one.email));
    await lockOut(server, two.email, { cookie });
    const forged = cookie.replace(/(tillhouse_device_\d+=)[^;]*/, `$1${'x'.repeat(22)}.${'y'.repeat(43)}`);
    const body = { old_password: PASSWORD, new_password: 'another long password' };
    expect((await one.call('PUT', '/api/dashboard/password', { body })).status).toBe(200);
    for (let guess = 0; guess < 5; guess++) expect((await signIn(server, one.email, WRONG)).status).toBe(401);
    for (const each of [forged, cookie]) {
      expect((await signIn(server, one.email, body.new_password, { cookie: each })).status).toBe(429);
    }
  });
});

describe('failed sign-ins', () => {
  it('are limited by address over all accounts, while another address and a known device are accepted', async () => {
    const options = { guards: { failedSignIns: 4 }, config: { trustProxy: { hops: 1 } } };
    await serve(options, async (server) => {
      const owner = await createOwner(server);
      const cookie = cookiesOf(await signIn(server, owner.email, PASSWORD, from('203.0.113.1')));
      const statuses = [];
      for (let guess = 0; guess < 6; guess++) {
        statuses.push((await signIn(server, newOwnerEmail(), WRONG, from('203.0.113.1'))).status);
      }
      expect(statuses.slice(0, 4)).toEqual([401, 401, 401, 401]);
      expect(statuses.slice(4)).toContain(429);
      expect((await signIn(server, owner.email, PASSWORD, from('203.0.113.2'))).status).toBe(200);
      expect((await signIn(server, owner.email, PASSWORD, { ...from('203.0.113.1'), cookie })).status).toBe(200);
    });
  });

  it('are limited in total, from any number of addresses; a known device is accepted', async () => {
    const options = { guards: { allFailedSignIns: 4 }, config: { trustProxy: { hops: 1 } } };
    await serve(options, async (server) => {
      const owner = await createOwner(server);
      const cookie = cookiesOf(await signIn(server, owner.email));
      const answers = await atOnce(10, (client) => signIn(server, newOwnerEmail(), WRONG, from(`203.0.113.${client}`)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
      expect((await signIn(server, owner.email, PASSWORD, { cookie })).status).toBe(200);
    });
  });

  it('do not count if they succeed', async () => {
    await serve({ guards: { failedSignIns: 2, allFailedSignIns: 2 } }, async (server) => {
      const owner = await createOwner(server);
      for (let time = 0; time < 5; time++) expect((await signIn(server, owner.email)).status).toBe(200);
    });
  });
});

describe('known devices of one account', () => {
  const behindProxy = { config: { trustProxy: { hops: 1 } } } as const;

  async function createDevices(server: TestServer, email: string, count: number): Promise<string[]> {
    const cookies = [];
    for (let index = 0; index < count; index++) cookies.push(cookiesOf(await signIn(server, email)));
    return cookies;
  }

  it('have twenty wrong passwords together, and do not lock out others', async () => {
    await serve(behindProxy, async (server) => {
      const [owner, other] = [await createOwner(server), await createOwner(server)];
      const [known = ''] = await createDevices(server, other.email, 1);
      const statuses = [];
      for (const cookie of await createDevices(server, owner.email, 8)) {
        for (let guess = 0; guess < 4; guess++) {
          statuses.push((await signIn(server, owner.email, WRONG, { cookie })).status);
        }
      }
      expect(statuses).toEqual([...Array(20).fill(401), ...Array(12).fill(429)]);
      expect((await signIn(server, other.email, PASSWORD, { cookie: known })).status).toBe(200);
    });
  });

  it('are limited by network too', async () => {
    await serve({ ...behindProxy, guards: { failedKnownSignIns: 4 } }, async (server) => {
      const owner = await createOwner(server);
      const [first = '', second = ''] = await createDevices(server, owner.email, 2);
      const guess = (address: string, cookie: string, password = WRONG) =>
        signIn(server, owner.email, password, { ...from(address), cookie });
      for (let index = 0; index < 4; index++) expect((await guess('203.0.113.1', first)).status).toBe(401);
      expect((await guess('203.0.113.1', second)).status).toBe(429);
      expect((await guess('203.0.113.2', second, PASSWORD)).status).toBe(200);
    });
  });

  it('do not make the owners in other networks wait, however many of them sign in at once', async () => {
    await serve(behindProxy, async (server) => {
      const owners = [];
      for (let index = 0; index < 5; index++) owners.push(await createOwner(server));
      const victim = await createOwner(server);
      const floods: { email: string; cookie: string }[] = [];
      for (const { email } of owners)
        for (const cookie of await createDevices(server, email, 16)) floods.push({ email, cookie });
      let hashed = 0;
      let onBusy: (() => void) | undefined;
      const isBusy = new Promise<void>((resolve) => {
        onBusy = resolve;
      });
      await withFullHashes(async () => {
        const flood = floods.map(async ({ email, cookie }) => {
          const { status } = await signIn(server, email, PASSWORD, { ...from('203.0.113.1'), cookie });
          if (status !== 503) hashed++;
          onBusy?.();
        });
        await isBusy;
        const before = hashed;
        expect((await signIn(server, victim.email, PASSWORD, from('203.0.113.2'))).status).toBe(200);
        // Two that ran, and one or two in each round. Behind all of them it would be more than sixty.
        expect(hashed - before).toBeLessThan(16);
        await Promise.all(flood);
      });
    });
  });
});

describe('a sign-in that a busy server refused', () => {
  it('does not count as a wrong password', async () => {
    await serve({ guards: { failedSignIns: 10_000 }, config: { trustProxy: { hops: 1 } } }, async (server) => {
      const owner = await createOwner(server);
      let isOver = false;
      await withFullHashes(async () => {
        const statuses: number[] = [];
        const flood = Array.from({ length: 60 }, async () => {
          while (!isOver) {
            await signIn(server, newOwnerEmail(), WRONG, from('203.0.113.1'));
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
        });
        try {
          await pollUntil(
            async () => (await signIn(server, newOwnerEmail(), WRONG, from('203.0.113.1'))).status,
            (status) => status === 503,
            10_000,
          );
          while (statuses.filter((status) => status === 503).length < 8) {
            statuses.push((await signIn(server, owner.email, PASSWORD, from('203.0.113.1'))).status);
          }
        } finally {
          isOver = true;
        }
        await Promise.all(flood);
        expect(statuses).not.toContain(429);
      });
      expect((await signIn(server, owner.email)).status).toBe(200);
    });
  });
});

describe('many concurrent sign-ins', () => {
  it('get 503 with Retry-After beyond the queue limit, and the server keeps running', async () => {
    await serve({ guards: { failedSignIns: 1000 } }, async (server) => {
      const answers = await atOnce(150, () => signIn(server, newOwnerEmail(), WRONG));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
      const refused = answers.find(({ status }) => status === 503);
      expect([refused?.headers['retry-after'], refused?.body.errors[0].code]).toEqual(['2', 'SERVICE_UNAVAILABLE']);
      const owner = await createOwner(server);
      expect((await owner.call('GET', '/api/dashboard/session')).status).toBe(200);
    });
  });
});

describe('wrong passcodes', () => {
  const WRONG_CODE = '999999';
  /** They are counted for a device and for a merchant, and each test has its own. */
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  it('are limited at a device over all employees; another device is accepted', async () => {
    const owner = await createOwner(server);
    const employees = [];
    for (let index = 0; index < 6; index++) employees.push(await hire(server, owner));
    const [device, other] = [await pairDevice(server, owner), await pairDevice(server, owner)];
    const statuses = [];
    for (const { id } of employees) {
      for (let guess = 0; guess < 4; guess++) statuses.push((await device.signIn(id, WRONG_CODE)).status);
    }
    expect(statuses).toEqual([...Array(20).fill(401), ...Array(4).fill(429)]);
    const [first] = employees;
    expect((await device.signIn(first?.id ?? '', PASSCODE)).status).toBe(429);
    expect((await other.signIn(first?.id ?? '', PASSCODE)).status).toBe(200);
  });

  it('are limited by merchant over all devices; another merchant is accepted', async () => {
    const [owner, stranger] = [await createOwner(server), await createOwner(server)];
    const employee = await hire(server, owner);
    const devices = [];
    for (let index = 0; index < 6; index++) devices.push(await pairDevice(server, owner));
    const statuses = [];
    for (const device of devices) {
      for (let guess = 0; guess < 18; guess++) {
        statuses.push((await device.signIn(`nobody-${guess}`, WRONG_CODE)).status);
      }
    }
    expect(statuses).toEqual([...Array(100).fill(401), ...Array(8).fill(429)]);
    expect((await devices[0]?.signIn(employee.id, PASSCODE))?.status).toBe(429);
    const elsewhere = await pairDevice(server, stranger);
    expect((await elsewhere.signIn((await hire(server, stranger)).id)).status).toBe(200);
  });

  it('from one device do not lock out others', async () => {
    const owner = await createOwner(server);
    const [employee, device] = [await hire(server, owner), await pairDevice(server, owner)];
    const guess = (index: number) => device.signIn(`nobody-${index}`, WRONG_CODE);
    const answers = await atOnce(110, guess);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
    expect((await (await pairDevice(server, owner)).signIn(employee.id)).status).toBe(200);
  });

  it('do not count if they are right', async () => {
    const owner = await createOwner(server);
    const [employee, device] = [await hire(server, owner), await pairDevice(server, owner)];
    for (let time = 0; time < 25; time++) expect((await device.signIn(employee.id)).status).toBe(200);
  });
});

describe('the hash of a passcode', () => {
  it('is useless without the key of the server', async () => {
    await serve({}, async (server) => {
      const owner = await createOwner(server);
      const employee = await hire(server, owner);
      const { token } = await pairDevice(server, owner);
      const body = { employee_id: employee.id, passcode: PASSCODE };
      expect((await server.call('POST', '/api/register/session', { token, body })).status).toBe(200);
      await server.database.sql`delete from hash_key`;
      const other = await startTestServer({
        databaseUrl: server.databaseUrl,
        config: { accountKey: `${ACCOUNT_KEY}-another` },
      });
      try {
        expect((await other.call('POST', '/api/register/session', { token, body })).status).toBe(401);
      } finally {
        await other.stop();
      }
    });
  });
});
