import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECK_NAMES } from '../../src/processor/adapter/checks.js';
import { sign } from '../../src/processor/adapter/signature.js';
import { ADAPTER_SECRET, AdapterProcess } from '../support/adapter.js';
import { runHere } from '../support/commands.js';

let adapter: AdapterProcess;

beforeAll(async () => {
  adapter = await AdapterProcess.start();
});
afterAll(() => adapter.stop());

const check = (url: string, env: NodeJS.ProcessEnv = { TILLHOUSE_PROCESSOR_SECRET: ADAPTER_SECRET }) =>
  runHere(['processor', 'check', url], { env });

interface Passing {
  method: string;
  path: string;
  signature: string;
  body: string;
}

/** An adapter with a mistake: what arrives, or what it responds, is changed on its way. */
async function withMistake(
  { change = (passing) => passing, respond = (_passing, reply) => reply }: Mistake,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server: Server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = '', url = '', headers } = incoming;
    const signature = String(headers['tillhouse-signature']);
    const passing = change({ method, path: url, signature, body: Buffer.concat(chunks).toString('utf8') });
    const response = await fetch(adapter.url + passing.path, {
      method: passing.method,
      headers: { 'tillhouse-signature': passing.signature },
      ...(passing.method === 'POST' && { body: passing.body }),
    });
    const { status, text } = respond(passing, { status: response.status, text: await response.text() });
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

interface Mistake {
  change?: (passing: Passing) => Passing;
  respond?: (passing: Passing, reply: { status: number; text: string }) => { status: number; text: string };
}

const signed = (passing: Omit<Passing, 'signature'>): Passing => ({
  ...passing,
  signature: sign(ADAPTER_SECRET, { ...passing, method: passing.method as 'POST' }, Math.floor(Date.now() / 1000)),
});

let count = 0;
const MISTAKES: Readonly<Record<string, Mistake & { fails: RegExp; says: RegExp }>> = {
  'does not check signatures': {
    change: signed,
    fails: /wrong signature/,
    says: /no signature: the status must be 401, not 200/,
  },
  'forgets keys': {
    change({ method, path, body }) {
      const other = body.replace(/"key":"([^"]*)"/, (_all, key) => `"key":"${key}:${count++}"`);
      return signed({ method, path, body: method === 'POST' ? other : body });
    },
    fails: /same key takes effect once/,
    says: /GET \/calls\/\{key\} of authorize: the status must be 200, not 404/,
  },
  'answers in words of its own': {
    respond: (_passing, { status, text }) => ({ status, text: text.replace('"approved"', '"succeeded"') }),
    fails: /money is taken at once/,
    says: /outcome must be one of approved, declined, unusable, not "succeeded"/,
  },
  'sends amounts as text': {
    respond: (_passing, { status, text }) => ({ status, text: text.replace(/"amount":(\d+)/, '"amount":"$1"') }),
    fails: /money is taken at once/,
    says: /amount must be integer/,
  },
  'says that every refund has worked': {
    respond: (_passing, { status, text }) => ({ status, text: text.replace('"failed"', '"refunded"') }),
    fails: /never more than was taken/,
    says: /refund: outcome must be failed, not \{"outcome":"refunded"\}/,
  },
};

describe('tillhouse processor check', () => {
  it('finds nothing wrong with the example adapter', async () => {
    const { code, stdout, stderr } = await check(adapter.url);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n')).toEqual([
      ...CHECK_NAMES.map((name) => `ok      ${name}`),
      `All ${CHECK_NAMES.length} checks passed.`,
    ]);
  });

  it.each(Object.entries(MISTAKES))('finds an adapter that %s', async (_what, { fails, says, ...mistake }) => {
    await withMistake(mistake, async (url) => {
      const { code, stdout, stderr } = await check(url);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^tillhouse: \d+ of \d+ checks failed\.\n$/);
      const wrong = stdout.split(/\n(?=\S)/).filter((each) => each.startsWith('WRONG'));
      expect(wrong.find((each) => fails.test(each))).toMatch(says);
    });
  });

  it('leaves out what an adapter need not have', async () => {
    const respond: Mistake['respond'] = ({ path }, reply) =>
      path.startsWith('/records') ? { ...reply, status: 404 } : reply;
    await withMistake({ respond }, async (url) => {
      const { code, stdout } = await check(url);
      expect(code).toBe(0);
      expect(stdout).toContain('so tillhouse reconcile cannot work');
      expect(stdout.trim().split('\n').at(-1)).toBe(`${CHECK_NAMES.length - 3} checks passed, 3 were left out.`);
    });
  });

  it('says that an adapter does not respond', async () => {
    const { code, stdout } = await check('http://127.0.0.1:1');
    expect(code).toBe(1);
    expect(stdout).toContain('ECONNREFUSED');
  });

  it.each([
    ['http://adapter.example', { TILLHOUSE_PROCESSOR_SECRET: ADAPTER_SECRET }, 'must be https'],
    ['https://me:secret@adapter.example', { TILLHOUSE_PROCESSOR_SECRET: ADAPTER_SECRET }, 'without a password'],
    ['ftp://adapter.example', { TILLHOUSE_PROCESSOR_SECRET: ADAPTER_SECRET }, 'ftp://adapter.example'],
    ['https://adapter.example', {}, 'TILLHOUSE_PROCESSOR_SECRET is required'],
    ['https://adapter.example', { TILLHOUSE_PROCESSOR_SECRET: 'secret' }, 'too easy to guess'],
  ])('and serve refuse %s with %j', async (url, env, says) => {
    for (const args of [
      ['processor', 'check', url],
      ['serve', '--mode', 'production', '--processor', url],
    ]) {
      const result = await runHere(args, { env });
      expect(result).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toContain(says);
    }
  });
});
