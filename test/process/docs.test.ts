/** The page that shows the API: complete, and loaded from this server alone. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../support/built.js';
import type { Answer } from '../support/http.js';
import { Server, usedDataDir } from '../support/process.js';

let server: Server;
let page: Answer;

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
      expect.arrayContaining(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/start.js']),
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

  it('serves all its files from the build, with the right content types', async () => {
    const types = { css: /^text\/css/, js: /^text\/javascript/ };
    for (const address of addressesIn(page.text).filter((each) => !each.startsWith('data:'))) {
      const answer = await server.call('GET', address);
      expect(answer.status, address).toBe(200);
      expect(answer.headers['content-type'], address).toMatch(types[address.endsWith('.css') ? 'css' : 'js']);
    }
    for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
      const installed = await readFile(join(repository, 'node_modules/swagger-ui-dist', name), 'utf8');
      expect((await server.call('GET', `/docs/${name}`)).text, name).toBe(installed);
    }
  });

  it('has a style sheet that loads nothing else, and a script that calls this server only', async () => {
    const style = (await server.call('GET', '/docs/swagger-ui.css')).text;
    const loaded = [...style.matchAll(/url\(\s*["']?([^"')]+)/g)].map(([, address = '']) => address);
    expect(loaded.filter((address) => !isOurs(address))).toEqual([]);
    expect(style).not.toContain('@import');

    const script = (await server.call('GET', '/docs/start.js')).text;
    expect(script).not.toMatch(/https?:/);
    expect(script).toContain('validatorUrl: null'); // otherwise the renderer calls a validator on the internet
    const [, url = ''] = /\burl: '([^']+)'/.exec(script) ?? [];
    const description = await server.call('GET', url);
    expect(description.status).toBe(200);
    expect(description.body.openapi).toBe('3.1.0');
    expect(description.body.servers ?? []).toEqual([]);
  });
});

describe('the first steps', () => {
  it('are a program that reads the demo, takes a payment, refunds it, moves the clock and gets a refusal', async () => {
    const program = join(repository, 'examples/first-steps/first-steps.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [program, server.dataDir]);
    expect(stdout).toMatch(/^The newest payments of Juniper & Rye:\n/);
    expect(stdout).toMatch(/Took 2500: payment \S+ is COMPLETED\.\nRefunded 700: refund \S+ is PENDING\./);
    expect(stdout).toMatch(/unprocessable_entity\. Payment \S+ is more than 60 days old\.\n$/);
  });
});
