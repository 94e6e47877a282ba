import { describe, expect, it } from 'vitest';
import { each, filesIn, keepRules, readText } from './sources.js';

/** Hyphens join the words of a name, dots its parts. */
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/;

const DECISIONS = filesIn('docs/decisions').map((name) => name.slice(0, 4));

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

  'each file opens with a sentence on what it is responsible for': {
    rule: (among) =>
      each(among, ({ text }) =>
        /^(?:#!.*\n)?\/\*\*(?:\s|\*(?!\/))*[A-Z`](?:(?!\*\/)[\s\S]){10,}?\.(?:\s|\*\/)/.test(text)
          ? []
          : [text.slice(0, 60)],
      ),
    breaches: {
      'base/a.ts': 'export const a = 1;',
      'base/b.ts': "import x from 'node:fs';\n/** Does something that is well described. */",
      'base/c.ts': '/** */\nexport const c = 1;',
      'base/d.ts': '/** no sentence */\nexport const d = 1.5;',
    },
  },

  'names are in kebab-case and say something': {
    rule: (among) =>
      each(among, ({ path }) =>
        path.split('/').filter((part) => !KEBAB.test(part) || /util|helper|common|manager|service|misc/.test(part)),
      ),
    breaches: {
      'base/moneyMath.ts': '',
      'base/string-utils.ts': '',
      'Access/tokens.ts': '',
      'business/employee_roles/model.ts': '',
      'access/session-manager.ts': '',
    },
  },

  'files stay within 400 lines': {
    rule: (among) =>
      each(among, ({ text }) => {
        const lines = text.split('\n').length - 1;
        return lines > 400 ? [`${lines} lines`] : [];
      }),
    breaches: { 'base/a.ts': '\n'.repeat(401) },
  },

  'no code is commented out, and no TODO stands without an issue': {
    rule: (among) =>
      each(among, ({ text }) =>
        [...text.matchAll(/^\s*\/\/.*[;{]\s*$|\b(?:TODO|FIXME|XXX)\b(?!.*#\d).*$/gm)].map(([found]) => found.trim()),
      ),
    breaches: { 'base/a.ts': '// const a = 1;', 'base/b.ts': '/** TODO: later */' },
  },

  'decisions that are cited exist': {
    rule: (among) =>
      each(among, ({ text }) =>
        [...text.matchAll(/decisions? (\d{4})/gi)]
          .map(([, number = '']) => number)
          .filter((number) => !DECISIONS.includes(number)),
      ),
    breaches: { 'base/a.ts': '/** As decision 0999 says. */' },
  },
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

/** A path in a walk is relative to src/, or to src/business/ if it begins with a resource. */
function filesOfWalk(walk: string): string[] {
  const rooms = new Set(filesIn('src').map((path) => path.split('/')[0]));
  const paths = [...walk.matchAll(/`([a-z-]+(?:\/[a-z0-9.-]+)+)`/g)].map(([, path = '']) => path);
  return [...new Set(paths)].map((path) => {
    const file = path.endsWith('.sql') ? path : `${path}.ts`;
    return rooms.has(path.split('/')[0] ?? '') ? file : `business/${file}`;
  });
}
