/** The page that shows the API: complete, and loaded from this server alone. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../support/built.js';
import type { ApiResponse } from '../support/http.js';
import { Server, usedDataDir } from '../support/process.js';

let server: Server;
let page: ApiResponse;

beforeAll(async () => {
  server = await Server.start({ dataDir: await usedDataDir() });
  page = await server.call('GET', '/docs');
});
afterAll(() => server.stop());

/** Every URL in the page that a browser loads or links to. */
function addressesIn(html: string): string[] {
  return [...html.matchAll(/\b(?:src|href|action|data|poster|srcset)\s*=\s*["']?([^"'\s>]+)/gi)].map(
    ([, address = '']) => address,
  );
}

function isOurs(address: string): boolean {
  return address.startsWith('data:') || new URL(address, server.baseUrl).origin === server.baseUrl;
}

describe('/docs', () => {
  it('is an HTML page that refers to this server only', () => {
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(addressesIn(page.text)).toEqual(
      expect.arrayContaining(['/docs/style.css', '/docs/reference.js', '/docs/start.js']),
    );
    expect(addressesIn(page.text).filter((address) => !isOurs(address))).toEqual([]);
    expect(page.text).not.toMatch(/(?:https?:)?\/\/[a-z]/i);
    expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)/i); // the policy below would block it
  });

  it('forbids the browser all other origins by a policy', () => {
    const policy = String(page.headers['content-security-policy']);
    const rules = new Map(policy.split(/;\s*/).map((rule) => [rule.split(' ', 1)[0], rule.split(' ').slice(1)]));
    expect(rules.get('default-src')).toEqual(["'none'"]);
    expect(rules.get('script-src')).toEqual(["'self'"]);
    expect(rules.get('connect-src')).toEqual(["'self'"]);
    const allowed = new Set(["'none'", "'self'", "'unsafe-inline'", 'data:']);
    expect([...rules.values()].flat().filter((source) => !allowed.has(source))).toEqual([]);
  });

  it('serves all its files from the build, compressed, with the right content types', async () => {
    const types = { css: /^text\/css/, js: /^text\/javascript/ };
    for (const address of addressesIn(page.text).filter((each) => /\.(?:css|js)$/.test(each))) {
      const answer = await server.call('GET', address, { headers: { 'accept-encoding': 'br' } });
      expect(answer.status, address).toBe(200);
      expect(answer.headers['content-type'], address).toMatch(types[address.endsWith('.css') ? 'css' : 'js']);
      expect(answer.headers['content-encoding'], address).toBe('br');
    }
  });

  it('has a guide for each page of docs/, whose links lead somewhere', async () => {
    const names = (await readdir(join(repository, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'));
    const dead = new Set<string>();
    for (const name of names.filter((each) => each !== 'api.md')) {
      const guide = await server.call('GET', `/docs/guides/${name.replace(/\.md$/, '')}`);
      expect([name, guide.status]).toEqual([name, 200]);
      const linked = addressesIn(guide.text).filter((each) => each.startsWith('/docs'));
      for (const address of linked) {
        const [path = ''] = address.split('#');
        if (!known.has(path)) known.set(path, (await server.call('GET', path)).status);
        if (known.get(path) !== 200) dead.add(`${name}: ${address}`);
      }
    }
    expect([...dead]).toEqual([]);
    expect(known.size).toBeGreaterThan(50);
  });
});

/** The status of each address that a guide links to. */
const known = new Map<string, number>();

describe('the first steps', () => {
  it('are a program that reads the demo, takes a payment, refunds it, moves the clock and gets a refusal', async () => {
    const program = join(repository, 'examples/first-steps/first-steps.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [program, server.dataDir]);
    expect(stdout).toMatch(/^The newest payments of Juniper & Rye:\n/);
    expect(stdout).toMatch(/Took 2500: payment \S+ is COMPLETED\.\nRefunded 700: refund \S+ is PENDING\./);
    expect(stdout).toMatch(/unprocessable_entity\. Payment \S+ is more than 60 days old\.\n$/);
  });
});
