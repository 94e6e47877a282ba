/** Rules for single files: what they may read, how they are named, how long they are. */
import { FILE_RULES, KEBAB } from './file-rules.js';
import { each, filesIn, keepRules, readSource, readText } from './sources.js';

/** Scripts use the second before anything is built, so it imports nothing of ours. */
const READ_ENVIRONMENT = ['base/config.ts', 'cli/parent.mjs'];

keepRules({
  'only base/config.ts reads the environment': {
    rule: (among) =>
      each(among, ({ path, code }) =>
        !READ_ENVIRONMENT.includes(path) &&
        /process\s*(?:\?\.|\.)\s*env\b|process\[|\benv\s*\}?\s*=\s*process\b|import.*\benv\b.*'node:process'/.test(code)
          ? ['reads it']
          : [],
      ),
    breaches: {
      'server/server.ts': "process.env['PORT']",
      'cli/serve.ts': 'const { env } = process;',
      'server/app.ts': "import { env } from 'node:process';",
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
      'server/server.ts': 'new Date()',
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

const tests = filesIn('test').map((path) => readSource(path, readText('test', path)));

keepRules(
  {
    'names are in kebab-case': {
      rule: (among) => each(among, ({ path }) => path.split('/').filter((part) => !KEBAB.test(part))),
      breaches: { 'api/ordersV1.test.ts': '', 'Support/server.ts': '', 'api/cash_drawers.test.ts': '' },
    },

    'no test is skipped or runs alone': {
      rule: (among) =>
        each(among, ({ code }) =>
          [...code.matchAll(/\b(?:it|test|describe)\.(?:only|skip|todo|fails)\b/g)].map(([found]) => found),
        ),
      breaches: Object.fromEntries(
        ['only', 'skip', 'todo', 'fails'].map((marker) => [
          `api/${marker}.test.ts`,
          `it.${marker}('is paid', () => {});`,
        ]),
      ),
    },

    'files stay within 650 lines': {
      rule: (among) =>
        each(among, ({ text }) => {
          const lines = text.split('\n').length - 1;
          return lines > 650 ? [`${lines} lines`] : [];
        }),
      breaches: { 'api/orders.test.ts': '\n'.repeat(651) },
    },
  },
  tests,
  'test/',
);
