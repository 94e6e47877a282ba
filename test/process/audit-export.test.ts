/** `tillhouse audit --since` and `--follow`, also when the command is killed (decision 0244). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { recordAudit } from '../../src/identity/audit.js';
import { expectNothingLeft, newFolder, Program, run, until } from '../support/process.js';
import { startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterEach(expectNothingLeft);
afterAll(() => server.stop());

interface Line {
  readonly cursor: string;
  readonly kind: string;
  readonly occurred_at: string;
  readonly details: { readonly name?: string };
}

const lines = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const namesOf = (text: string) => lines(text).flatMap(({ details: { name } }) => name ?? []);

async function record(...names: string[]): Promise<void> {
  for (const name of names) {
    await server.database.transaction((tx) => recordAudit(tx, { kind: 'MODE_CHANGED', details: { name } }));
  }
}

const audit = (...args: string[]) => run(['audit', '--database-url', server.databaseUrl, ...args]);

it('exports lines, oldest first, whose cursors continue', async () => {
  await record('a', 'b', 'c');
  const all = await audit('--since', '2026-01-01T00:00:00Z', '--kind', 'MODE_CHANGED', '-o', 'json');
  expect(all).toMatchObject({ code: 0, stderr: '' });
  expect(namesOf(all.stdout)).toEqual(['a', 'b', 'c']);
  const [first] = lines(all.stdout);
  await record('d');
  const next = await audit('--since', first?.cursor ?? '', '--kind', 'MODE_CHANGED', '--limit', '2', '-o', 'json');
  expect(namesOf(next.stdout)).toEqual(['b', 'c']);
  const text = await audit('--since', lines(next.stdout).at(-1)?.cursor ?? '', '--kind', 'MODE_CHANGED');
  expect(text.stdout).toMatch(/^\d+ {2}\S+Z {2}MODE_CHANGED {2}- {2}- {2}name=d\n$/);
  const wrong = await audit('--since', 'yesterday');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('--since must be a time such as');
});

it('loses nothing when it is killed, and prints each event at least once', { timeout: 120_000 }, async () => {
  const cursorFile = join(await newFolder(), 'cursor');
  const args = ['audit', '--follow', '--cursor-file', cursorFile, '--database-url', server.databaseUrl, '-o', 'json'];
  const printed: Line[] = [];
  const expected: string[] = [];
  await audit('--cursor-file', cursorFile, '-o', 'json');
  for (const round of ['1', '2', '3']) {
    const beforeStart = `${round}-before`;
    await record(beforeStart);
    const follower = await Program.start(args);
    await until(() => namesOf(follower.stdout).includes(beforeStart));
    const names = Array.from({ length: 30 }, (_, index) => `${round}-${index}`);
    const writing = record(...names);
    await until(() => namesOf(follower.stdout).some((name) => name.startsWith(`${round}-1`)));
    follower.signal('SIGKILL');
    await Promise.all([writing, follower.exited]);
    expected.push(beforeStart, ...names);
    printed.push(...lines(follower.stdout));
  }
  const last = await audit('--cursor-file', cursorFile, '-o', 'json');
  printed.push(...lines(last.stdout));
  expect([...new Set(printed.flatMap(({ details: { name } }) => name ?? []))].sort()).toEqual([...expected].sort());
  expect((await readFile(cursorFile, 'utf8')).trim()).toBe(printed.at(-1)?.cursor);
  expect((await audit('--cursor-file', cursorFile, '-o', 'json')).stdout).toBe('');
});
