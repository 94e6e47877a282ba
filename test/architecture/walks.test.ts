/** The walks in docs/ARCHITECTURE.md name files and functions that exist, and not too many: each can be read with these files open. */
import { describe, expect, it } from 'vitest';
import { filesIn, functionFiles, readText, sources } from './sources.js';
import { functionsIn } from './sql-functions.js';

const MOST_OF_BUSINESS = 8;

const existing = new Set(filesIn('src'));
const rooms = new Set([...existing].map((path) => path.split('/')[0] ?? ''));
const definedIn = new Map(functionsIn(functionFiles).map(({ name, path }) => [name, path]));
const migrations = filesIn('migrations').map((name) => readText('migrations', name));
const words = new Set(
  [...sources.map(({ code }) => code), ...functionFiles.map(({ code }) => code), ...migrations].flatMap(
    (text) => text.match(/\w+/g) ?? [],
  ),
);

/** The walks of the page, by what each begins with. */
function walksOf(page: string): Map<string, string> {
  const [, section = ''] = page.match(/^## Walks$([\s\S]*?)^## /m) ?? [];
  const walks = section.split(/\n(?=\*\*)/).slice(1);
  return new Map(walks.map((walk) => [/^\*\*([^*]+?)\.?\*\*/.exec(walk)?.[1] ?? '', walk]));
}

/**
 * The files of a walk. A path is relative to src/, or to src/business/ if it begins with a resource. A function in the database is in the
 * file that defines it. Other code in backticks is the name of a member, a field or a value.
 */
function filesOf(walk: string): string[] {
  const quoted = [...walk.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
  const paths = quoted.filter((text) => /^[a-z-]+(?:\/[a-z0-9.-]+)+$/.test(text)).map(toFile);
  return [...new Set([...paths, ...quoted.flatMap((text) => definedIn.get(text) ?? [])])];
}

function toFile(path: string): string {
  const file = path.endsWith('.sql') ? path : `${path}.ts`;
  return rooms.has(path.split('/')[0] ?? '') ? file : `business/${file}`;
}

/** Functions, members, tables and columns that a walk names, and that are not in src/ or migrations/. */
function unknownNamesIn(walk: string): string[] {
  const names = [...walk.matchAll(/`([A-Za-z]\w*)`/g)].map(([, name = '']) => name);
  return names.filter((name) => !words.has(name));
}

function mistakesOf(walk: string): string[] {
  const files = filesOf(walk);
  const ofBusiness = files.filter((path) => path.startsWith('business/'));
  return [
    ...files.filter((path) => !existing.has(path)).map((path) => `${path} does not exist`),
    ...unknownNamesIn(walk).map((name) => `${name} does not exist`),
    ...(ofBusiness.length > MOST_OF_BUSINESS
      ? [`${ofBusiness.length} files of business: ${ofBusiness.join(', ')}`]
      : []),
  ];
}

describe('the walks in docs/ARCHITECTURE.md', () => {
  const walks = walksOf(readText('docs/ARCHITECTURE.md'));

  it('are found, with their files and functions', () => {
    expect(walks.size).toBeGreaterThan(15);
    const refund = filesOf(walks.get('createRefund') ?? '');
    expect(refund).toContain('business/refunds/actions.ts');
    expect(refund).toContain('business/changes/functions.sql');
  });

  it.each([...walks])('%s: names files that exist, at most eight of business', (_, walk) => {
    expect(filesOf(walk).length).toBeGreaterThan(0);
    expect(mistakesOf(walk)).toEqual([]);
  });
});

describe('a walk', () => {
  const eight =
    '`tills/ring-up`, `tills/tenders`, `sales/actions`, `sales/queries`, `payments/charge`, `payments/calls`, `refunds/actions`';

  it('may name eight files of business, with those of the functions', () => {
    expect(mistakesOf(`${eight}, \`close_day\`, \`api/routes\`, \`worker/lanes\``)).toEqual([]);
  });

  it.each([
    ['nine files', `${eight}, \`refunds/model\`, \`holds/actions\``, '9 files of business'],
    ['nine files, two of them by functions', `${eight}, \`close_day\`, \`roll_up_days\``, '9 files of business'],
    ['a file that does not exist', '`tills/no-such-file`', 'business/tills/no-such-file.ts does not exist'],
    ['a function that does not exist', '`no_such_function`', 'no_such_function does not exist'],
    ['a functions.sql that does not exist', '`worker/no-such.sql`', 'worker/no-such.sql does not exist'],
  ])('may not name %s', (_, walk, mistake) => {
    expect(mistakesOf(walk)).toEqual([expect.stringContaining(mistake)]);
  });
});
