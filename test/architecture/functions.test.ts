/** The rules of the functions in the database, and of the statements and changes that call them (decisions 0131 and 0132). */
import { describe, expect, it } from 'vitest';
import { mayUse } from './floors.js';
import { clockReadsIn, each, functionFiles, keepRules, oddStyleIn, readText, type Source, sources } from './sources.js';
import {
  functionsIn,
  knownSteps,
  merchantTables,
  namesCalledIn,
  onlyReads,
  type SqlFunction,
  statementsOf,
  stepsIn,
} from './sql-functions.js';

const all = [...sources, ...functionFiles];

/** Tables that several files still insert into. Past records are copied in bulk and do not count. */
const INSERTED_IN_SEVERAL_FILES = ['access_tokens'];

/** A change is applied by the function that knows the steps of all rooms. */
const UPWARD_CALLS = ['database/change.ts: apply_change'];

/** Functions that use real time, and why. All other times are arguments. */
const REAL_TIME: Readonly<Record<string, string>> = {
  'business/idempotency/functions.sql: take_keys':
    'how long a key is kept does not depend on the clock of a merchant (decision 0078)',
  'business/idempotency/functions.sql: take_keys_of_merchants': 'as above',
  'database/functions.sql: clock_microseconds':
    'the order of records, which a clock that is moved back must not change',
  'events/functions.sql: record_events': 'deliveries use real time (decision 0040)',
};

/** Also a fragment that writes: `moved as (${insertMovements(...)})`. */
const WRITE_IN_WITH =
  /\bas (?:(?:not )?materialized )?\(\s*(?:(?:insert|update|delete)\b|\$\{(?:insert|update|delete|move)\w*\()/;

function writesInWith(among: readonly Source[]): string[] {
  return among.filter(({ code }) => WRITE_IN_WITH.test(code)).map(({ path }) => path);
}

/** The files that insert into each table. */
function insertersOf(among: readonly Source[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path, code } of among) {
    for (const [, table = ''] of code.matchAll(/\binsert into (\w+)/g)) {
      found.set(table, (found.get(table) ?? new Set()).add(path));
    }
  }
  return found;
}

const isLaws = (path: string) => path.startsWith('check/') && path.endsWith('-laws.ts');

/** Functions by name, in all files. */
function byName(among: readonly Source[]): Map<string, SqlFunction> {
  return new Map(functionsIn(among).map((found) => [found.name, found]));
}

/** The rule for functions that TypeScript calls. */
function eachCalled(among: readonly Source[], find: (called: SqlFunction) => readonly string[]): string[] {
  const names = new Set(sources.concat(among).flatMap(({ code }) => namesCalledIn(code)));
  return eachFunction(among, (found) => (names.has(found.name) ? find(found) : []));
}

function eachFunction(among: readonly Source[], find: (found: SqlFunction) => readonly string[]): string[] {
  return functionsIn(among).flatMap((found) => find(found).map((what) => `${found.path}: ${found.name}: ${what}`));
}

/** The tables with a merchant that a statement reads or writes. */
function tablesIn(statement: string): string[] {
  return [...statement.matchAll(/\b(?:from|join|update|into) (\w+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => merchantTables.has(name));
}

/** A function for rows of several merchants, which name their merchants themselves (decision 0175). */
const isOfMerchants = ({ name }: SqlFunction) => name.endsWith('_of_merchants');

/** True for a condition on the merchant, the merchant as the first column, and rows that are made from or joined with rows of it. */
function namesMerchant(statement: string, found: SqlFunction): boolean {
  if (/\bmerchant_id = (?:p_\w+|any \(p_merchant_ids\))/.test(statement)) return true;
  // All columns of rows that have a merchant.
  if (isOfMerchants(found) && /\binsert into \w+\s+select \*/.test(statement)) return true;
  const [, columns] = /\binsert into \w+ (?:as \w+ )?(\([^)]*\))?/.exec(statement) ?? [];
  if (columns) return /^\(\s*merchant_id\b/.test(columns);
  return (
    /\binsert into\b|\busing \(merchant_id\b/.test(statement) &&
    /\bv_\w+\.merchant_id := p_merchant_id\b/.test(found.body)
  );
}

const fixed = (text: string) => `language plpgsql ${text} as $$ begin `;
const CALLED = fixed('set search_path from current');
const call = (name: string) => `export const x = sql\`select ${'$'.concat(`{fn(sql, '${name}')}`)}(1)\``;

keepRules(
  {
    'a function that is called exists in the same room or on a lower floor': {
      rule: (among) => {
        const known = byName(among);
        return each(among, ({ path, code }) =>
          [...namesCalledIn(code), ...stepsIn(code)].filter((name) => {
            const found = known.get(name);
            return !found || (!mayUse(path, found.path) && !UPWARD_CALLS.includes(`${path}: ${name}`));
          }),
        );
      },
      breaches: {
        'business/roles/queries.ts': call('no_such_function'),
        'business/movements/queries.ts': call('close_till'),
        'events/record-queries.ts': call('close_till'),
        'business/sales/queries.ts': "change.call('close_till', {})",
      },
      others: { 'business/tills/functions.sql': `create function close_till() returns void ${CALLED} end $$;` },
    },

    'a function calls functions of its room or of lower floors': {
      rule: (among) => {
        const known = byName(among);
        return eachFunction(among, ({ path, called }) =>
          [...called].filter((name) => {
            const found = known.get(name);
            return found && !mayUse(path, found.path);
          }),
        );
      },
      breaches: {
        'business/movements/functions.sql': `create function a(p_x text) returns void ${CALLED} perform b(1); end $$;`,
        'events/functions.sql': `create function c(p_x text) returns void ${CALLED} perform a(1); end $$;`,
        'business/payments/functions.sql': `create function b(p_x text) returns void ${CALLED} perform d(1); end $$;`,
        'business/refunds/functions.sql': `create function d(p_x text) returns void ${CALLED} perform e(1); end $$;`,
        'business/holds/functions.sql': `create function e(p_x text) returns void ${CALLED} perform d(1); end $$;`,
      },
    },

    'a step of a change is in the list of steps, and every step of the list is used': {
      rule: (among) => {
        const known = knownSteps(among);
        const used = among.flatMap(({ code }) => stepsIn(code));
        return [
          ...each(among, ({ code }) => stepsIn(code).filter((name) => !known.includes(name))),
          ...known
            .filter((name) => !used.includes(name))
            .map((name) => `business/changes/functions.sql: ${name}: no change has this step`),
        ];
      },
      breaches: {
        'business/sales/queries.ts': "change.call('no_such_step', {})",
        'business/changes/functions.sql':
          "create function apply_step() returns json language plpgsql as $$ begin case when 'unused_step' then null; end case; end $$;",
      },
    },

    'every function is called, by another one or from TypeScript': {
      rule: (among) => {
        const functions = functionsIn(among);
        const inFunctions = (name: string) => functions.some((other) => other.name !== name && other.called.has(name));
        const inTypeScript = new Set(among.flatMap(({ code }) => namesCalledIn(code)));
        // The laws are long statements, which call functions by their names alone.
        const inLaws = (name: string) => among.some(({ path, code }) => isLaws(path) && code.includes(`${name}(`));
        return eachFunction(among, ({ name }) =>
          inTypeScript.has(name) || inFunctions(name) || inLaws(name) ? [] : ['nothing calls it'],
        );
      },
      breaches: {
        'business/roles/functions.sql': `create function unused() returns void ${CALLED} null; end $$;`,
        'business/tills/functions.sql': `create function itself() returns void ${CALLED} perform itself(); end $$;`,
      },
    },

    'a function that TypeScript calls finds the others by its own path, unless it needs none': {
      rule: (among) => {
        const known = byName(among);
        return eachCalled(among, (found) => {
          const needsPath =
            !onlyReads(found) || [...found.called].some((name) => known.has(name)) || tablesIn(found.body).length > 0;
          return /\bset search_path from current\b/.test(found.options) === needsPath ? [] : ['its path'];
        });
      },
      breaches: {
        'business/payments/functions.sql': `create function a(p_merchant_id text) returns void ${fixed('')} end $$;`,
        'business/refunds/functions.sql': `create function b() returns text ${fixed('stable')} return a(); end $$;`,
        'business/holds/functions.sql': `create function c() returns text ${fixed('stable')} return (select 1 from holds); end $$;`,
      },
      others: { 'business/payments/queries.ts': `${call('a')}; ${call('b')}; ${call('c')}` },
    },

    'a function that TypeScript calls to write takes the merchant first': {
      rule: (among) =>
        eachCalled(among, (found) =>
          onlyReads(found) || isOfMerchants(found) || /^p_merchant_id text\b/.test(found.parameters)
            ? []
            : [found.parameters],
        ),
      breaches: {
        'business/orders/functions.sql': `create function apply_change(p_id text, p_merchant_id text) returns void ${CALLED} end $$;`,
        'business/tills/functions.sql': `create function create_payments() returns void ${CALLED} end $$;`,
      },
    },

    'a function that only functions call has no path of its own': {
      rule: (among) => {
        const names = new Set(among.flatMap(({ code }) => namesCalledIn(code)));
        return eachFunction(among, ({ name, options }) =>
          !names.has(name) && options.includes('search_path') ? ['has a path'] : [],
        );
      },
      breaches: { 'business/roles/functions.sql': `create function a() returns void ${CALLED} end $$;` },
    },

    'every function has a name of its own': {
      rule: (among) => {
        const names = functionsIn(among).map(({ name }) => name);
        return eachFunction(among, ({ name }) =>
          names.filter((each) => each === name).length > 1 ? ['is defined twice'] : [],
        );
      },
      breaches: {
        'business/roles/functions.sql': `create function a() returns void ${CALLED} end $$;`,
        'business/tills/functions.sql': `create function a(p_x text) returns void ${CALLED} end $$;`,
      },
    },

    'functions and types are written with lower-case keywords and no offset': {
      rule: (among) =>
        each(
          among.filter(({ path }) => path.endsWith('.sql')),
          ({ code }) => oddStyleIn(code),
        ),
      breaches: {
        'business/roles/functions.sql': `create function a() returns void ${CALLED} SELECT 1; end $$;`,
        'business/tills/functions.sql': `create function b() returns void ${CALLED} select a from b offset 5; end $$;`,
        'access/types.sql': 'create type a AS (b text NOT NULL);',
      },
    },

    'a function does not ask what time it is, unless it needs real time': {
      rule: (among) =>
        eachFunction(among, ({ path, name, body }) => (`${path}: ${name}` in REAL_TIME ? [] : clockReadsIn(body))),
      breaches: {
        'business/orders/functions.sql': `create function a() returns void ${CALLED} update orders set paid_at = now(); end $$;`,
        'business/tills/functions.sql': `create function b() returns void ${CALLED} v_now := clock_timestamp(); end $$;`,
        'database/functions.sql': `create function c() returns date ${CALLED} return current_date; end $$;`,
      },
    },

    'arguments begin with p_, and variables with v_': {
      rule: (among) =>
        eachFunction(among, ({ parameters, body }) => {
          const [, declared = ''] = /\bdeclare\b([\s\S]*?)\bbegin\b/.exec(body) ?? [];
          return [
            ...parameters.split(/,\s*/).filter((each) => each !== '' && !/^p_[a-z0-9_]+ /.test(each)),
            ...declared.split(';').filter((each) => /^\s*[a-z]\w*\s/.test(each) && !/^\s*v_/.test(each)),
          ];
        }),
      breaches: {
        'business/roles/functions.sql': `create function a(merchant text) returns void ${CALLED} end $$;`,
        'business/tills/functions.sql':
          'create function a() returns void language plpgsql as $$ declare\n  total bigint;\nbegin end $$;',
      },
    },

    'nothing is written inside with': {
      rule: (among) => writesInWith(among).map((path) => `${path}: writes in with`),
      breaches: {
        'business/roles/functions.sql': 'with a as (\n  insert into roles values (1)) select 1',
        'business/roles/queries.ts': 'await tx`with a as materialized (delete from roles returning 1) select 1`',
        'business/tills/queries.ts': `await tx\`with a as (${'$'.concat('{insertMovements(tx)}')}) select 1\``,
      },
    },

    "a statement of a function on a merchant's records names the merchant": {
      rule: (among) =>
        eachFunction(among, (found) =>
          statementsOf(found)
            .filter((text) => tablesIn(text).length > 0 && !namesMerchant(text, found))
            .map((text) => text.slice(0, 60)),
        ),
      breaches: {
        'business/payments/functions.sql': `create function a(p_merchant_id text) returns void ${CALLED} update payments set tip = 1 where payment_id = 'P'; end $$;`,
        'business/refunds/functions.sql': `create function b(p_merchant_id text) returns void ${CALLED} select * into v_x from refunds where refund_id = 'R' for update; end $$;`,
        'business/movements/functions.sql': `create function c(p_merchant_id text) returns void ${CALLED} insert into movements select * from unnest(v_rows); end $$;`,
        'business/orders/functions.sql': `create function d(p_merchant_id text) returns void ${CALLED} insert into orders (order_id) values ('O'); end $$;`,
        'business/roles/functions.sql': `create function e_of_merchants(p_rows json) returns void ${CALLED} update roles set name = 'N' where role_id = 'R'; end $$;`,
      },
    },

    'a table is inserted into in one file': {
      rule: (among) =>
        [...insertersOf(among)]
          .filter(([table, paths]) => paths.size > 1 && !INSERTED_IN_SEVERAL_FILES.includes(table))
          .flatMap(([table, paths]) => [...paths].map((path) => `${path}: ${table}`)),
      breaches: {
        'business/roles/functions.sql': 'insert into roles (merchant_id) values (1)',
        'business/roles/queries.ts': 'await tx`insert into roles (merchant_id) values (1)`',
      },
    },
  },
  all,
);

describe('src/', () => {
  it('has only functions that were all read', () => {
    const created = functionFiles.flatMap(({ code }) => [...code.matchAll(/\bcreate function\b/g)]);
    expect(functionsIn(functionFiles)).toHaveLength(created.length);
    expect(created.length).toBeGreaterThan(30);
    expect(merchantTables.size).toBeGreaterThan(20);
  });

  it('has no obsolete entry in its lists of exceptions', () => {
    const inserters = insertersOf(all);
    expect(INSERTED_IN_SEVERAL_FILES.filter((table) => (inserters.get(table)?.size ?? 0) < 2)).toEqual([]);
    const reading = functionsIn(functionFiles).filter(({ body }) => clockReadsIn(body).length > 0);
    expect(reading.map(({ path, name }) => `${path}: ${name}`).sort()).toEqual(Object.keys(REAL_TIME).sort());
    const calling = sources.flatMap(({ path, code }) => namesCalledIn(code).map((name) => `${path}: ${name}`));
    expect(calling).toEqual(expect.arrayContaining(UPWARD_CALLS));
  });
});

describe('docs/ARCHITECTURE.md', () => {
  it.each(UPWARD_CALLS)('names the arrow that runs up: %s', (call) => {
    const [path, name] = call.split(': ');
    const page = readText('docs/ARCHITECTURE.md').replaceAll(/\s+/g, ' ');
    expect(page.includes(`One arrow runs up: \`${path}\` calls \`${name}\``)).toBe(true);
  });
});
