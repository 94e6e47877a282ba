/** The files in migrations/: how they are named and what they may contain, and that released ones stay as they are. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ARCHIVED_TABLES } from '../../src/database/archive/tables.js';
import { type Effect, effectsOf } from '../../src/database/migration-effects.js';
import { statementsOf } from '../../src/database/migrations.js';
import released from './released-migrations.json' with { type: 'json' };
import { clockReadsIn, each, filesIn, keepRules, readSource, readText, type Source } from './sources.js';

/** A file for each room, in the order of the floors. Later migrations change it. */
const BASELINE = [
  '0001-merchants.sql',
  '0002-roles.sql',
  '0003-employees.sql',
  '0004-audit.sql',
  '0005-oauth.sql',
  '0006-dashboard.sql',
  '0007-devices.sql',
  '0008-processor.sql',
  '0009-events.sql',
  '0010-idempotency.sql',
  '0011-movements.sql',
  '0012-due-work.sql',
  '0013-bank-accounts.sql',
  '0014-settlements.sql',
  '0015-stores.sql',
  '0016-timecards.sql',
  '0017-cash-drawers.sql',
  '0018-sales.sql',
  '0019-payments.sql',
  '0020-refunds.sql',
  '0021-holds.sql',
  '0022-orders.sql',
  '0023-faults.sql',
];

const names = filesIn('migrations');
const migrations = names.map((name) => readSource(name, readText('migrations', name)));

keepRules(
  {
    'are numbered without gaps, in kebab-case': {
      rule: (among) =>
        among.flatMap(({ path }, index) =>
          new RegExp(`^${String(index + 1).padStart(4, '0')}-[a-z0-9]+(?:-[a-z0-9]+)*\\.sql$`).test(path)
            ? []
            : [`${path}: should be number ${index + 1}`],
        ),
      others: { '0001-a.sql': '' },
      breaches: { '0003-b.sql': '', '0003-c_d.sql': '', 'e.sql': '' },
    },

    'begin with a comment that explains why they exist': {
      rule: (among) => each(among, ({ text }) => (/^-- [A-Z].{20,}[.,:]?/.test(text) ? [] : [text.slice(0, 40)])),
      breaches: { '0001-a.sql': 'create table a (b text);', '0002-b.sql': '-- A table.\n', '0003-c.sql': '' },
    },

    'begin with a baseline that creates tables and changes none': {
      rule: (among) =>
        among
          .slice(0, BASELINE.length)
          .flatMap(({ path, code }, index) => [
            ...(path === BASELINE[index] ? [] : [`${path}: is not ${BASELINE[index]}`]),
            ...[...code.matchAll(/^\s*(?:alter|drop|update|delete|insert)\b/gim)].map(([found]) => `${path}: ${found}`),
          ]),
      breaches: {
        '0001-merchants.sql': 'create table merchants (a text);\nalter table merchants add column b text;',
        '0002-places.sql': 'create table places (a text);',
      },
    },

    'let nobody wait for long': {
      rule: (among) =>
        among
          .filter(({ path }) => !BEFORE_THE_RULE.has(path))
          .flatMap(({ path, text }) => hindrances(text).map((found) => `${path}: ${found}`)),
      others: {
        '0001-a.sql':
          '-- A column.\nalter table a add column b text;\nalter table a add constraint c check (b > 0) not valid;',
        '0002-b.sql': '-- Concurrently: an index.\ncreate index concurrently if not exists i on a (b);',
        '0003-c.sql': '-- Batches: rows.\ndelete from a where b in (select b from a limit 1000);',
        '0004-d.sql': '-- A table.\ncreate table n (b text);\ncreate index i on n (b);',
        '0005-e.sql': '-- Rows checked.\nalter table a validate constraint c;',
      },
      breaches: {
        '0001-a.sql': '-- An index.\ncreate index i on a (b);',
        '0002-b.sql': '-- Rows.\nupdate a set b = 1;',
        '0003-c.sql': '-- A check.\nalter table a add constraint c check (b > 0);',
        '0004-d.sql': '-- Concurrently: an index.\ncreate index concurrently i on a (b);',
        '0005-e.sql': '-- Batches: rows.\nupdate a set b = 1;',
      },
    },

    'work with an archive: no foreign key refers to a table that has one, and rows are found by their keys (decision 0253)':
      {
        rule: (among) =>
          among
            .slice(BEFORE_THE_ARCHIVE)
            .flatMap(({ path, code }) =>
              [...code.matchAll(TROUBLES_OF_ARCHIVES)].map(([found]) => `${path}: ${found}`),
            ),
        others: Object.fromEntries(
          Array.from({ length: 60 }, (_, index) => [
            `${String(index + 1).padStart(4, '0')}-a.sql`,
            'references payments',
          ]),
        ),
        breaches: {
          '0061-b.sql': 'create table b (foreign key (merchant_id, payment_id) references payments);',
          '0062-c.sql': 'update only sales set label = null;',
          '0063-d.sql': 'delete from refunds where ctid in (select ctid from refunds limit 1000);',
        },
      },

    'read no business time from the database': {
      rule: (among) => each(among, ({ code }) => clockReadsIn(code)),
      breaches: {
        '0001-a.sql': 'create table a (b timestamptz default now());',
        '0002-b.sql': 'update a set b = clock_timestamp();',
      },
    },
  },
  migrations,
  'migrations/',
);

/** From before there was an archive. */
const BEFORE_THE_ARCHIVE = 60;
const TROUBLES_OF_ARCHIVES = new RegExp(
  `\\breferences (?:${ARCHIVED_TABLES.join('|')})\\b|\\bonly (?:${ARCHIVED_TABLES.join('|')})\\b|\\bctid\\b`,
  'g',
);

/** From before the rule below. */
const BEFORE_THE_RULE = new Set([
  ...Object.keys(released),
  '0045-disputed-refunds.sql',
  '0048-refunds-through-exchanges.sql',
  '0051-times-of-outcomes.sql',
  '0053-responses-of-erased-refunds.sql',
]);

const REMEDIES: Partial<Record<Effect, string>> = {
  index: 'a file that begins with `-- Concurrently:`',
  rows: 'a file that begins with `-- Batches:`',
  whole: 'a constraint that is `not valid`, and a file that validates it',
};

/** What a migration may do to tables that are there (decision 0177). */
function hindrances(text: string): string[] {
  const statements = statementsOf(text);
  if (text.startsWith('-- Concurrently:')) {
    return statements
      .filter(
        (each) => !/^(?:create (?:unique )?index concurrently if not|drop index concurrently if) exists /.test(each),
      )
      .map((each) => `${each}: is not an index that is built or dropped concurrently, if it exists or not`);
  }
  if (text.startsWith('-- Batches:')) {
    return statements.length === 1 && /\blimit \d+\b/.test(text) ? [] : ['is not one statement with a limit'];
  }
  return effectsOf(statements).flatMap(({ table, effect }, index) => {
    const found = REMEDIES[effect];
    return table === undefined || found === undefined ? [] : [`${statements[index]}: needs ${found}`];
  });
}

/** Databases remember the text of each migration that they have applied, and refuse a program that has another text. */
function changedIn(among: readonly Source[], checksums: Readonly<Record<string, string>>): string[] {
  const texts = new Map(among.map(({ path, text }) => [path, text]));
  return Object.entries(checksums)
    .filter(([name, checksum]) => checksumOf(texts.get(name)) !== checksum)
    .map(
      ([name]) =>
        `migrations/${name} was released and must stay as it was, in every character: existing databases refuse a changed one. ` +
        `Undo the change, and add a file with the next number instead.`,
    );
}

function checksumOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : createHash('sha256').update(text).digest('hex');
}

describe('a released migration', () => {
  it('never changes', () => {
    expect(changedIn(migrations, released)).toEqual([]);
  });

  it('has its checksum in the list, from the first one on without a gap', () => {
    expect(Object.keys(released).length).toBeGreaterThan(BASELINE.length);
    expect(Object.keys(released)).toEqual(names.slice(0, Object.keys(released).length));
  });

  it.each([
    ['another comment', { '0001-a.sql': '-- Another comment.' }],
    ['another name', { '0001-b.sql': '-- A comment.' }],
    ['no file', {}],
  ])('is found to have changed: %s', (_, files: Readonly<Record<string, string>>) => {
    const sources = Object.entries(files).map(([path, text]) => readSource(path, text));
    const checksums = { '0001-a.sql': checksumOf('-- A comment.') ?? '' };
    expect(changedIn(sources, checksums)).toEqual([expect.stringContaining('migrations/0001-a.sql was released')]);
    expect(changedIn([readSource('0001-a.sql', '-- A comment.')], checksums)).toEqual([]);
  });
});
