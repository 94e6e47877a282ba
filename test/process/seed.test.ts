/** `tillhouse seed`: businesses of any size, each complete or absent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere } from '../support/commands.js';
import { expectOneLine, migratedDataDir, Program, processesIn, run } from '../support/process.js';
import { ServerHere } from '../support/server-here.js';

interface Seeded {
  readonly merchant_id: string;
  readonly location_ids: readonly string[];
  readonly access_token: string;
}

const SIZE = ['--days', '20', '--payments-per-day', '30', '--seed', '7'];

describe('tillhouse seed next to a live server', () => {
  let server: ServerHere;
  let first: Seeded[];

  const seed = async (...args: string[]): Promise<Seeded[]> => {
    const { code, stdout, stderr } = await runHere(['seed', ...args, '-o', 'json', '--data-dir', server.dataDir]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/business(?:es)?, [\d,]+ payments in/) });
    return JSON.parse(stdout).merchants;
  };

  const count = async ({ access_token: token }: Seeded): Promise<number> => {
    let [found, cursor] = [0, ''];
    do {
      const { status, body } = await server.call('GET', `/v2/payments?limit=100${cursor}`, { token });
      expect(status).toBe(200);
      found += body.payments?.length ?? 0;
      cursor = body.cursor ? `&cursor=${encodeURIComponent(body.cursor)}` : '';
    } while (cursor !== '');
    return found;
  };

  beforeAll(async () => {
    server = await ServerHere.start();
    first = await seed('--merchants', '2', ...SIZE);
  });
  afterAll(() => server.stop());

  it('creates merchants with about as many payments as requested, and all their other records, in order', async () => {
    expect(first.length).toBe(2);
    for (const merchant of first) {
      const { access_token: token, location_ids } = merchant;
      // Most are card payments: cash is not a v2 payment.
      const payments = await count(merchant);
      expect(payments).toBeGreaterThan(300);
      expect(payments).toBeLessThan(700);
      for (const path of ['/v1/me/payments', '/v1/me/refunds', '/v1/me/settlements', '/v1/me/timecards']) {
        expect([path, (await server.call('GET', path, { token })).body.length > 0]).toEqual([path, true]);
      }
      const [location] = location_ids;
      const orders = await server.call('GET', `/v1/${location}/orders`, { token });
      expect(orders.body.filter(({ state }: { state: string }) => state === 'OPEN').length).toBeGreaterThan(1);
      const shifts = await server.call('GET', `/v2/cash-drawers/shifts?location_id=${location}`, { token });
      expect(shifts.body.items.length).toBeGreaterThan(15);
    }
    const { stdout, stderr } = await runHere(['check', '--data-dir', server.dataDir]);
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^All \d+ laws hold\.$/m), '']);
  });

  it('keeps the merchants that a seed has already created, and creates the others', async () => {
    const before = await Promise.all(first.map(count));
    const again = await seed('--merchants', '3', ...SIZE);
    const ids = again.map(({ merchant_id }) => merchant_id);
    expect(ids.slice(0, 2)).toEqual(first.map(({ merchant_id }) => merchant_id));
    expect(new Set(ids).size).toBe(3);
    expect(await Promise.all(again.slice(0, 2).map(count))).toEqual(before);
    const other = await seed('--merchants', '1', '--days', '1', '--payments-per-day', '1', '--seed', '8');
    expect(ids).not.toContain(other[0]?.merchant_id);
  });

  it("ends the history at the time of --now, to which the merchant's clock is set", async () => {
    const now = '2025-03-20T19:30:00Z';
    const [made] = await seed('--days', '3', '--payments-per-day', '20', '--seed', '9', '--now', now);
    const { access_token: token, merchant_id } = made as Seeded;
    const range = 'begin_time=2025-03-01T00:00:00Z&end_time=2025-03-21T00:00:00Z';
    const { body } = await server.call('GET', `/v2/payments?${range}`, { token });
    expect(body.payments.length).toBeGreaterThan(20);
    const { operator_key } = await server.demo();
    const shown = await server.call('GET', `/api/sandbox/merchants/${merchant_id}/clock`, { token: operator_key });
    expect(shown.body.clock.now).toMatch(/^2025-03-20T19:/);
  });

  it('reports, when interrupted, how many merchants are complete, and leaves records that satisfy every law', async () => {
    const args = ['--merchants', '200', '--days', '5', '--payments-per-day', '20', '--seed', '10'];
    const program = await Program.start(['seed', ...args, '--data-dir', server.dataDir]);
    await program.said(/^M\w+ {2}EAAA/m);
    program.signal('SIGINT');
    expect((await program.exited).code).toBe(2);
    const printed = program.stdout.match(/^M\w+ {2}EAAA\S+/gm) ?? [];
    expect(printed.length).toBeLessThan(200);
    expect(program.stderr).toContain(`Interrupted: ${printed.length} of 200 businesses were created completely`);
    expect(program.stderr).toContain('--seed 10');
    expect((await runHere(['check', '--data-dir', server.dataDir])).stdout).toMatch(/^All \d+ laws hold\.$/m);
  });
});

describe('tillhouse seed without a server', () => {
  it('starts its own PostgreSQL, prints a line for each merchant, and stops it', async () => {
    const dataDir = await migratedDataDir();
    const args = ['--merchants', '2', '--days', '2', '--payments-per-day', '5', '--data-dir', dataDir];
    const { code, stdout } = await run(['seed', ...args]);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual(
      Array(2).fill(expect.stringMatching(/^M\w{12} {2}EAAA\S{60} {2}\w+ & \w+ \d$/)),
    );
    expect(await processesIn(dataDir)).toEqual([]);
  });

  it.each([
    [['--merchants', '0'], "--merchants must be a whole number from 1 to 100000, not '0'."],
    [['--days', '1.5'], "--days must be a whole number from 1 to 3650, not '1.5'."],
    [['--payments-per-day=-3'], "--payments-per-day must be a whole number from 1 to 100000, not '-3'."],
    [['--payments-per-day', 'many'], "--payments-per-day must be a whole number from 1 to 100000, not 'many'."],
    [['--seed', '99999999999'], "--seed must be a whole number from 0 to 2147483647, not '99999999999'."],
    [['--now', 'yesterday'], "--now must be a time such as 2026-03-20T19:30:00Z, not 'yesterday'."],
    [['--merchants', '100000', '--days', '3650'], 'the limit is 100,000,000'],
    [['--output', 'yaml'], "--output must be one of text, json, not 'yaml'."],
    [['everything'], "Unexpected argument 'everything'"],
  ])('refuses %j in one line, before it starts a process', async (args, said) => {
    const { code, stdout, stderr } = await runHere(['seed', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expectOneLine(stderr);
    expect(stderr).toContain(said);
  });
});
