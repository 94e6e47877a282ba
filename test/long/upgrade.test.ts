/**
 * The version before the last change of the schema and this version serve one database side by side, under load, as during an upgrade
 * without a stop (decision 0177). Only `npm run test:long` runs it: it builds the old version from the history of the repository.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { linkPackages, repository } from '../support/built.js';
import { createOnce } from '../support/folders.js';
import { callApi } from '../support/http.js';
import { paymentBody, usd } from '../support/payments.js';
import { expectNothingLeft, run, Server } from '../support/process.js';
import { ACCOUNT_KEY, cloneDatabase, OPERATOR_KEY, type TestDatabase } from '../support/server.js';

const exec = promisify(execFile);
/** How long each phase lasts: the old version alone, both, the new one alone. */
const PHASE_MS = 8_000;
const CLIENTS = 4;

let database: TestDatabase;
let oldProgram: string;

beforeAll(async () => {
  database = await cloneDatabase({ empty: true });
  oldProgram = await buildVersionBefore('migrations');
});
afterEach(expectNothingLeft);
afterAll(() => database.drop());

describe('two versions on one database', () => {
  it('lose nothing while one replaces the other under load', { timeout: 600_000 }, async () => {
    const options = {
      args: ['--database-url', database.url, '--demo', 'off'],
      env: { TILLHOUSE_OPERATOR_KEY: OPERATOR_KEY, TILLHOUSE_ACCOUNT_KEY: ACCOUNT_KEY },
    };
    const old = await Server.start({ ...options, command: [process.execPath, oldProgram, 'serve'] });
    const created = await old.call('POST', '/api/sandbox/merchants', { token: OPERATOR_KEY, body: {} });
    const { access_token: token } = created.body as { access_token: string };
    const load = new Load(token);
    load.startOn(old);
    await sleep(PHASE_MS);

    const current = await Server.start(options);
    load.startOn(current);
    await sleep(PHASE_MS);
    await load.endOn(old);
    await old.stop();
    await sleep(PHASE_MS);
    await load.endOn(current);

    expect(load.failures).toEqual([]);
    expect(load.countOn(old)).toBeGreaterThan(20);
    expect(load.countOn(current)).toBeGreaterThan(20);
    for (const [id, refundId] of load.acknowledged) {
      const { body } = await current.call('GET', `/v2/payments/${id}`, { token });
      expect(body).toMatchObject({ payment: { id, status: 'COMPLETED', refund_ids: [refundId] } });
    }
    await current.stop();
    const check = await run(['check', '--database-url', database.url]);
    expect(check, check.stdout + check.stderr).toMatchObject({ code: 0 });
  });
});

/** Clients that pay and refund, one request after the other. */
class Load {
  /** Payments, each with its refund. */
  readonly acknowledged = new Map<string, string>();
  readonly failures: unknown[] = [];
  readonly #token: string;
  readonly #clients = new Map<Server, { isEnding: boolean; count: number; done: Promise<unknown> }>();

  constructor(token: string) {
    this.#token = token;
  }

  startOn(server: Server): void {
    const state = { isEnding: false, count: 0, done: Promise.resolve() as Promise<unknown> };
    this.#clients.set(server, state);
    const client = async (): Promise<void> => {
      while (!state.isEnding) {
        await this.#payAndRefund(server);
        state.count++;
      }
    };
    state.done = Promise.all(Array.from({ length: CLIENTS }, client));
  }

  async endOn(server: Server): Promise<void> {
    const state = this.#clients.get(server);
    if (!state) return;
    state.isEnding = true;
    await state.done;
  }

  countOn(server: Server): number {
    return this.#clients.get(server)?.count ?? 0;
  }

  async #payAndRefund({ baseUrl }: Server): Promise<void> {
    const post = (path: string, body: object) => callApi(baseUrl, 'POST', path, { token: this.#token, body });
    const paid = await post('/v2/payments', paymentBody({ amount_money: usd(500) }));
    const { payment } = paid.body as { payment?: { id: string } };
    if (!payment) return void this.failures.push(paid.body);
    const refunded = await post('/v2/refunds', {
      idempotency_key: randomUUID(),
      payment_id: payment.id,
      amount_money: usd(200),
    });
    const { refund } = refunded.body as { refund?: { id: string } };
    if (!refund) return void this.failures.push(refunded.body);
    this.acknowledged.set(payment.id, refund.id);
  }
}

/** Builds the version before the last commit that changed a folder, and returns its program. */
async function buildVersionBefore(folder: string): Promise<string> {
  const git = async (...args: string[]) => (await exec('git', args, { cwd: repository })).stdout.trim();
  // A commit that adds a file: one that only renames some changes no schema.
  const changed = await git('log', '-1', '--first-parent', '--diff-filter=A', '-M', '--format=%H', '--', folder);
  const root = await createOnce('version-before', async (target) => {
    await mkdir(target, { recursive: true });
    const archive = join(target, 'version.tar');
    await git('archive', '--output', archive, `${changed}^`);
    await exec('tar', ['xf', archive, '-C', target]);
    await linkPackages(target);
    await exec(process.execPath, ['scripts/build.mjs'], { cwd: target });
  });
  return join(root, 'dist/main.js');
}
