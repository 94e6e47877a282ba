import { describe, expect, it } from 'vitest';
import { FILE_RULES, KEBAB } from './file-rules.js';
import { each, filesIn, keepRules, readText } from './sources.js';

keepRules({
  'only base/config.ts reads the environment': {
    rule: (among) =>
      each(among, ({ path, code }) =>
        path !== 'base/config.ts' &&
        /process\s*(?:\?\.|\.)\s*env\b|process\[|\benv\s*\}?\s*=\s*process\b|import.*\benv\b.*'node:process'/.test(code)
          ? ['reads it']
          : [],
      ),
    breaches: {
      'server.ts': "process.env['PORT']",
      'cli/serve.ts': 'const { env } = process;',
      'app.ts': "import { env } from 'node:process';",
    },
  },

  'only base/clock.ts and base/ids.ts ask what time it is': {
    rule: (among) =>
      each(among, ({ path, code }) => {
        if (path === 'base/clock.ts' || path === 'base/ids.ts') return [];
        return [...code.matchAll(/new Date\(\s*\)|new Date(?![\w(])|\bDate\.now\b|\bDate\(\)/g)].map(
          ([found]) => found,
        );
      }),
    breaches: {
      'server.ts': 'new Date()',
      'access/attempts.ts': 'const now = Date.now();',
      'api/docs.ts': 'const now = Date.now;',
      'base/time.ts': 'const now = new Date;',
    },
  },

  'business and made-up histories make identifiers with what they are given': {
    rule: (among) =>
      each(among, ({ path, code }) =>
        /^(?:business|demo\/history)\//.test(path)
          ? [...code.matchAll(/\brealIds\b|\bnew Ids\b/g)].map(([found]) => found)
          : [],
      ),
    breaches: {
      'business/roles/actions.ts': "import { realIds } from '../../base/ids.js';",
      'business/payments/outcomes.ts': 'const ids = new Ids();',
      'demo/history/day.ts': 'const shiftId = realIds.newUuid();',
    },
  },

  ...FILE_RULES,
});

describe('test/', () => {
  const names = filesIn('test');

  it('has names in kebab-case', () => {
    expect(names.length).toBeGreaterThan(20);
    for (const path of names) {
      for (const part of path.split('/')) expect(part).toMatch(KEBAB);
    }
  });

  it('has no skipped and no exclusive tests', () => {
    const marker = new RegExp(`\\b(?:it|test|describe)\\.(?:${['only', 'skip', 'todo', 'fails'].join('|')})\\b`);
    for (const path of names) expect([path, readText('test', path).match(marker)]).toEqual([path, null]);
  });

  it('has files of a readable length', () => {
    const long = names.filter((path) => readText('test', path).split('\n').length > 650);
    expect(long).toEqual([]);
  });
});

describe('docs/ARCHITECTURE.md', () => {
  it('has a row for every room and resource, and none for one that does not exist', () => {
    const [, rooms = '', resources = ''] =
      readText('docs/ARCHITECTURE.md').match(/^## Rooms$([\s\S]*?)^Resources in `business\/`:$([\s\S]*?)^## /m) ?? [];
    const foldersIn = (folder: string) =>
      new Set(filesIn(folder).flatMap((path) => (path.includes('/') ? [path.split('/')[0]] : [])));
    const rowsOf = (table: string) =>
      [...table.matchAll(/^\| (`[^|]*) \|/gm)]
        .flatMap(([, cell = '']) => [...cell.matchAll(/`([\w-]+)\/`/g)])
        .map(([, name]) => name);
    expect(rowsOf(rooms).sort()).toEqual([...foldersIn('src')].sort());
    expect(rowsOf(resources).sort()).toEqual([...foldersIn('src/business')].sort());
  });

  it('has walks whose files exist, with at most eight of business each', () => {
    const [, walks = ''] = readText('docs/ARCHITECTURE.md').match(/^## Walks$([\s\S]*?)^## /m) ?? [];
    const named = walks
      .split(/\n(?=\*\*)/)
      .slice(1)
      .map((walk) => filesOfWalk(walk));
    expect(named.length).toBeGreaterThan(8);
    const existing = new Set(filesIn('src'));
    for (const files of named) {
      expect(files.filter((path) => !existing.has(path))).toEqual([]);
      expect(files.filter((path) => path.startsWith('business/')).length).toBeLessThanOrEqual(8);
    }
  });
});

/** The file of a path in a walk, which is relative to src/, or to src/business/ if it begins with a resource. */
function filesOfWalk(walk: string): string[] {
  const rooms = new Set(filesIn('src').map((path) => path.split('/')[0]));
  const paths = [...walk.matchAll(/`([a-z-]+(?:\/[a-z0-9.-]+)+)`/g)].map(([, path = '']) => path);
  return [...new Set(paths)].map((path) => {
    const file = path.endsWith('.sql') ? path : `${path}.ts`;
    return rooms.has(path.split('/')[0] ?? '') ? file : `business/${file}`;
  });
}
