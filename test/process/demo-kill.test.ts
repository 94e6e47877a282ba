/** The demo business is complete or absent, whatever happens while it is created. */
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newDataDir, Program, run, Server, until } from '../support/process.js';

const env = { TILLHOUSE_DEMO_HISTORY: 'on' };

describe('a start that is killed while it creates the demo', () => {
  it('leaves nothing of it; the next start creates all of it, and reports when it is ready', {
    timeout: 240_000,
  }, async () => {
    const dataDir = await newDataDir();
    const killed = await Program.start(['serve', '--port', '0', '--data-dir', dataDir], { env });
    // The key is written just before the demo is created.
    await until(async () => (await readdir(dataDir).catch((): string[] => [])).includes('account-key'));
    await sleep(300);
    killed.signal('SIGKILL');
    await killed.exited;
    expect(killed.stdout).toBe('');
    expect(await readdir(dataDir)).not.toContain('demo.json');

    const server = await Server.start({ dataDir, env });
    const demo = await server.demo();
    expect((await server.call('GET', '/readyz')).status).toBe(200);
    const path = `/v2/payments?location_id=${demo.location_ids[0]}`;
    const { body } = await server.call('GET', path, { token: demo.application?.access_token ?? '' });
    expect(body.payments.length).toBeGreaterThan(0);

    // The online store accepts its key, and the owner sees the permissions of the application.
    const store = await server.call('GET', '/api/checkout/catalogue', { token: demo.publishable_key ?? '' });
    expect(store.body.items.length).toBe(8);
    const { headers } = await server.call('POST', '/api/dashboard/session', { body: demo.dashboard });
    const cookie = String(headers['set-cookie']).split(';', 1)[0] ?? '';
    const allowed = await server.call('GET', '/api/dashboard/authorizations', { headers: { cookie } });
    expect(allowed.body.authorizations).toEqual([
      expect.objectContaining({ application_id: demo.application?.id, application_name: 'Juniper & Rye online' }),
    ]);
    const status = await run(['status', '-o', 'env', '--data-dir', dataDir]);
    expect(status.stdout).toContain(`TILLHOUSE_PUBLISHABLE_KEY='${demo.publishable_key}'`);

    expect((await run(['check', '--data-dir', dataDir])).stdout).toMatch(/^All \d+ laws hold\.$/m);
    const before = server.program.stdout.match(/Access token: (\S+)/)?.[1];
    expect(before).toBe(demo.access_token);
    await server.stop();
  });
});
