/** Checks that docs/logs.md lists the messages of the log. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { filesIn, readText } from '../architecture/sources.js';

/** Each call that logs, with its level if the call says it, and its text. */
const CALLS = [
  /\blog\.(debug|info|warn|error)\((?:'|(?:(?!\blog\.)[^;])*?[,}]\s*')([a-z][^']+)',?\s*\)/g,
  /\b(warn)\(log, error, '([^']+)'/g,
  /#(warn)\('([^']+)'/g,
];

function messagesIn(source: string): string[] {
  return CALLS.flatMap((call) => [...source.matchAll(call)].map(([, level, text]) => `${text} ${level}`));
}

describe('docs/logs.md', () => {
  it('has a row with the level of every message, and no other', async () => {
    const logged = filesIn('src')
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .flatMap((path) => messagesIn(readText('src', path)));
    const page = await readFile(fileURLToPath(new URL('../../docs/logs.md', import.meta.url)), 'utf8');
    const listed = [...page.matchAll(/^\| `([^`]+)` \| (debug|info|warn|error) \|/gm)].map(
      ([, text, level]) => `${text} ${level}`,
    );
    expect([...new Set(logged)].sort()).toEqual(listed.sort());
  });

  it('finds the calls that log, in each of their forms', () => {
    expect(messagesIn("log.info('a: b')")).toEqual(['a: b info']);
    expect(messagesIn("request.log.error(\n  { err: error },\n  'a failed',\n)")).toEqual(['a failed error']);
    expect(messagesIn("(e) => warn(log, e1, 'x'), warn(log, error, 'a: b', id)")).toEqual(['a: b warn']);
  });
});
