/** The mode of a database, and the headers and cookies of a production server (decisions 0050, 0053, 0104). */
import { describe, expect, it } from 'vitest';
import type { ServeConfig } from '../../../src/base/config.js';
import { Browser } from '../../support/browser.js';
import { createOwner } from '../../support/dashboard.js';
import { createEmployee } from '../../support/employees.js';
import { callApi } from '../../support/http.js';
import { authorizeUrl, createApplication } from '../../support/oauth.js';
import {
  cloneDatabase,
  startProduction,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from '../../support/server.js';

const open = (databaseUrl: string, config: Partial<ServeConfig>): Promise<TestServer> =>
  startTestServer({ databaseUrl, config });

async function withDatabase(work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await cloneDatabase();
  try {
    await work(database);
  } finally {
    await database.drop();
  }
}

/** Starts a server, runs the given work, and stops the server. */
async function opened(url: string, config: Partial<ServeConfig>, work?: (server: TestServer) => Promise<unknown>) {
  const server = await open(url, config);
  try {
    await work?.(server);
  } finally {
    await server.stop();
  }
}

describe('the mode of a database', () => {
  it.each([
    ['sandbox', 'production'],
    ['production', 'sandbox'],
  ] as const)('is %s from its first start on, and %s is refused', async (mode, other) => {
    await withDatabase(async ({ url }) => {
      await opened(url, { mode });
      await opened(url, { mode });
      const refusal = `belongs to a ${mode} server`;
      await expect(open(url, { mode: other })).rejects.toThrow(refusal);
      await expect(open(url, { mode: other })).rejects.toThrow('--change-mode');
      await opened(url, { mode });
    });
  });

  it('is changed by --change-mode, permanently', async () => {
    await withDatabase(async ({ url }) => {
      await opened(url, { mode: 'sandbox' }, (server) => server.createMerchant());
      await opened(url, { mode: 'production', changeMode: true });
      await opened(url, { mode: 'production' });
      await expect(open(url, { mode: 'sandbox' })).rejects.toThrow('belongs to a production server');
    });
  });

  it('is recorded at the next start if an earlier version recorded none', async () => {
    await withDatabase(async ({ url }) => {
      await opened(url, { mode: 'sandbox' }, async ({ database }) => {
        await database.sql`delete from database_mode`;
      });
      await opened(url, { mode: 'production' });
      await expect(open(url, { mode: 'sandbox' })).rejects.toThrow('belongs to a production server');
    });
  });

  it('is the same for all servers that start concurrently in different modes', async () => {
    await withDatabase(async ({ url }) => {
      const modes = ['sandbox', 'production', 'sandbox', 'production'] as const;
      const starts = await Promise.allSettled(modes.map((mode) => open(url, { mode })));
      const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
      await Promise.all(running.map((server) => server.stop()));
      expect(starts.map(({ status }) => status)).toSatisfy(
        ([first, second, third, fourth]: string[]) => first === third && second === fourth && first !== second,
      );
    });
  });
});

describe('--mode production refuses, also with --change-mode,', () => {
  it.each([
    ['a database with the demo merchant', 'the demo merchant', { demo: true }, undefined],
    ['a clock that was moved', 'clock', {}, { advance: 'P1D' }],
    ['a frozen clock', 'clock', {}, { frozen: true }],
  ])('%s', async (_what, named, config, clock) => {
    await withDatabase(async ({ url }) => {
      await opened(url, config, async (server) => {
        const { id } = await server.createMerchant();
        if (clock) await server.operator('POST', `/api/sandbox/merchants/${id}/clock`, clock);
      });
      await expect(open(url, { mode: 'production', changeMode: true })).rejects.toThrow(named);
      await opened(url, { mode: 'sandbox' });
    });
  });
});

describe('a production server', () => {
  it('sends Strict-Transport-Security with every response; a sandbox does not', async () => {
    const { production, sandbox, stop } = await startProduction();
    try {
      for (const path of ['/healthz', '/v1/me', '/v2/nowhere', '/docs', '/oauth2/authorize', '/%']) {
        const { headers } = await production.call('GET', path);
        expect([path, headers['strict-transport-security']]).toEqual([path, 'max-age=31536000']);
        expect((await sandbox.call('GET', path)).headers['strict-transport-security']).toBeUndefined();
      }
    } finally {
      await stop();
    }
  });
});

describe('two sandboxes on one host', () => {
  it('do not sign each other out: their cookies have different names', async () => {
    const servers = await Promise.all([startTestServer(), startTestServer()]);
    try {
      const owners = [await createOwner(servers[0]), await createOwner(servers[1])] as const;
      expect(new Set(owners.map(({ cookie }) => cookie.split('=')[0])).size).toBe(2);
      const cookie = owners.map((owner) => owner.cookie).join('; ');
      for (const [index, server] of servers.entries()) {
        const { body } = await server.call('GET', '/api/dashboard/session', { headers: { cookie } });
        expect(body.email).toBe(owners[index]?.email);
      }
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });
});

describe('a foreign Host header on an address beyond loopback', () => {
  const FORGED = 'evil.example';

  async function beyondLoopback(work: (server: TestServer, url: string) => Promise<void>): Promise<void> {
    const server = await startTestServer({ config: { host: '0.0.0.0' } });
    try {
      await work(server, `http://127.0.0.1:${new URL(server.baseUrl).port}`);
    } finally {
      await server.stop();
    }
  }

  it('is not repeated in Link: the next page uses the address of the server', async () => {
    await beyondLoopback(async (server, url) => {
      const merchant = await server.createMerchant();
      for (let index = 0; index < 2; index++) await createEmployee(server, merchant);
      const ask = (host: string) =>
        callApi(server.baseUrl, 'GET', '/v1/me/employees?limit=1', { token: merchant.token, headers: { host } });
      const linkOf = async (host: string) => String((await ask(host)).headers['link']);
      expect(await linkOf(FORGED)).toContain(`<${url}/v1/me/employees?`);
      expect(await linkOf(`${FORGED}:80`)).toContain(`<${url}/v1/me/employees?`);
      expect(await linkOf('127.0.0.1.evil.example')).toContain(`<${url}/`);
      expect(await linkOf('localhost:1234')).toContain('<http://localhost:1234/');
    });
  });

  it('does not allow writes from the site that it names', async () => {
    await beyondLoopback(async (server) => {
      const owner = await createOwner(server);
      const headers = { host: FORGED, origin: `http://${FORGED}`, cookie: owner.cookie };
      expect((await callApi(server.baseUrl, 'DELETE', '/api/dashboard/session', { headers })).status).toBe(403);
    });
  });

  it('is not repeated as the issuer of a code', async () => {
    await beyondLoopback(async (server, url) => {
      const [application, owner] = [await createApplication(server), await createOwner(server)];
      const browser = await new Browser().visit(authorizeUrl(server, application));
      await browser.signIn(owner.email);
      const { action, fields } = browser.form;
      const { pathname, search } = new URL(action);
      const { headers } = await callApi(server.baseUrl, 'POST', pathname + search, {
        body: new URLSearchParams({ ...fields, decision: 'allow' }).toString(),
        headers: {
          host: FORGED,
          origin: 'null',
          cookie: browser.cookieFor(pathname),
          'content-type': 'application/x-www-form-urlencoded',
        },
      });
      const { searchParams } = new URL(String(headers['location']));
      expect([searchParams.get('iss'), searchParams.has('code')]).toEqual([url, true]);
    });
  });
});
