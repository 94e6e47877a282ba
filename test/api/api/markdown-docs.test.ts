/** The guides and the reference as Markdown, and the list of them for programs. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

it('every address in /llms.txt leads to a guide, the reference or the OpenAPI document', async () => {
  const { status, text, headers } = await server.call('GET', '/llms.txt');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toMatch(/^# Tillhouse\n\n> .+\n\n## Guides and reference\n\n/);
  const addresses = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, address = '']) => address);
  expect(addresses).toEqual(
    expect.arrayContaining(['/openapi.json', '/docs/guides/api.md', '/docs/guides/testing.md']),
  );
  expect(addresses.length).toBeGreaterThan(150);
  for (const address of addresses) {
    const answer = await server.call('GET', address);
    expect([address, answer.status]).toEqual([address, 200]);
  }
});

it('a guide is the file as it is, and a page that does not exist is a 404', async () => {
  for (const name of ['webhooks', 'api', 'decisions/0080-faults']) {
    const { headers, text } = await server.call('GET', `/docs/guides/${name}.md`);
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(text).toBe(await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8'));
  }
  expect((await server.call('GET', '/docs/guides/none.md')).status).toBe(404);
});
