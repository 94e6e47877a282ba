import { describe, expect, it } from 'vitest';
import {
  clockReadsIn,
  each,
  functionFiles,
  isQueries,
  keepRules,
  oddStyleIn,
  sources,
  statementsIn,
} from './sources.js';

/** SQL outside queries, database/ and check/, and why. */
const SQL_ELSEWHERE: Readonly<Record<string, string>> = {};

/** Statements on a merchant's records without a condition on the merchant, and why. */
const WITHOUT_MERCHANT: Readonly<Record<string, string>> = {
  'business/payments/create-queries.ts: createOfMerchants': 'each row names its merchant (decision 0175)',
  'business/payments/json-queries.ts: listPaymentJsons': 'each key has its merchant (decision 0175)',
  'business/merchants/queries.ts: findDemoMerchant': 'finds which merchant the demo is',
  'business/merchants/queries.ts: hasMerchants': 'asks whether there is any merchant yet',
  'business/merchants/queries.ts: listMerchants': 'lists them for the operator',
  'processor/merchant-processor-queries.ts: listAllMerchantProcessors':
    'keys are rotated, and books compared, for all of them',
  'processor/merchant-processor-queries.ts: listKeysInUse': 'counts what each key has encrypted, of all merchants',
  'sandbox/fault-queries.ts: deleteFaultRule': 'the operator removes a rule of any merchant, or of all',
  'sandbox/fault-queries.ts: updateWebhookFaultRuleToUsed': 'a rule of one merchant, or of all',
  'sandbox/stub-queries.ts: readStubSums': 'the limits of stubs are for all merchants together',
  'sandbox/stub-queries.ts: listStubIds': 'a server keeps the stubs of all merchants',
  'sandbox/stub-queries.ts: findStubs': 'as above',
  'sandbox/stub-queries.ts: updateStubToUsed': 'a stub may be for every merchant',
  'sandbox/stub-queries.ts: deleteStub': 'as above',
  'sandbox/stub-queries.ts: updateStubsToUnused': 'stubs of files are for every merchant',
  'sandbox/stub-queries.ts: deleteStubsOfFiles': 'as above',
  'business/merchants/mode-queries.ts: hasSandboxMerchants': 'asks whether the database may be opened in production',
  'business/merchants/mode-queries.ts: findDatabaseMode': 'the mode is that of all merchants',
  'business/merchants/mode-queries.ts: lockDatabaseMode': 'as above',
  'business/merchants/mode-queries.ts: insertDatabaseMode': 'as above',
  'demo/queries.ts: lockDemo': 'one lock for the one demo business',
  'business/due-work/queries.ts: listMerchantsWithDueWork': 'finds the merchants with something to do, without locks',
  'business/payments/call-queries.ts: listMerchantsWithCalls': 'as above',
  'business/payments/copy-queries.ts: listMerchantsWithOldCopies': 'as above',
  'business/pictures/queries.ts: listMerchantsWithOldPictures': 'as above',
  'identity/audit-export-queries.ts: listUnnumbered': 'the export of the operator is of all merchants',
  'metrics/queries.ts: findDueBacklog': 'counts what waits, of all merchants',
  'metrics/queries.ts: listReceiverBacklogs': 'as above',
  'metrics/queries.ts: findOpenCalls': 'as above',
  'worker/agenda-queries.ts: listDueMerchants': 'as above',
  'worker/agenda-queries.ts: findNextDue': 'asks when anything is due, of all merchants',
  'worker/agenda-queries.ts: insertAgendaEntries': 'the agenda is of all merchants',
  'worker/agenda-queries.ts: deleteDueEntries': 'as above',
};

/** Subqueries that take the merchant from the rest of their statement, and why. */
const OTHER_CONDITION: Readonly<Record<string, string>> = {
  'business/payments/json-queries.ts: where payments.merchant_id = asked.merchant_id':
    'each key has its merchant (decision 0175)',
};

/** Statements on no record and parts of statements, named after what they do. */
const OTHER_VERBS: Readonly<Record<string, string>> = {
  'business/due-work/queries.ts: nextDueWorkAt': 'a part of a statement',
  'business/payments/call-queries.ts: nextCallAt': 'a part of a statement',
  'demo/queries.ts: discardPlans': 'forgets plans',
  'demo/queries.ts: commitWithoutWaiting': 'sets how the transaction ends',
};

/** A condition on the merchant, the merchant among the inserted values, or a function of the merchant. */
function namesMerchant(text: string): boolean {
  if (/^select [^$]*\$\{fn\(/.test(text))
    return /^select [^$]*\$\{fn\(\w+, '\w+'\)\}\(\s*\$\{[^}]*\bmerchant(?:Id|\.id)\b/.test(text);
  if (/^copy/i.test(text)) return /^copy \w+ \(\s*merchant_id\b/.test(text);
  if (/^insert/i.test(text))
    return /^insert into \w+ (?:as \w+ )?\(\s*merchant_id\b/.test(text) || /merchant_id:/.test(text);
  return (
    /\b(?:where|on|and)\b[\s\S]*\bmerchant_id = \$\{/.test(text) || /\binsert into \w+ \(\s*merchant_id\b/.test(text)
  );
}

const VALUE = '$'.concat('{id}');
const CALL = '$'.concat("{fn(tx, 'close_day')}");

keepRules({
  'SQL stands in queries, database/ and check/': {
    rule: (among) =>
      each(
        among.filter(({ path }) => !/^(?:database|check)\//.test(path) && !isQueries(path)),
        ({ code }) => statementsIn(code).map(({ text }) => text.slice(0, 40)),
      ).filter((found) => !(found in SQL_ELSEWHERE)),
    breaches: {
      'business/roles/v1.operations.ts': 'await database.sql`select role_id from roles`',
      'business/roles/actions.ts': 'await tx<{ a: string }[]>`\n    insert into roles (a) values (1)`',
      'business/payments/queries-of-calls.ts': 'await tx`delete from processor_calls`',
      'worker/due-work.ts': 'await tx`update due_work set run_at = null`',
      'processor/rules.ts': 'await sql<Rule[]>`select effect from processor_rules`',
      'cli/check.ts': "await sql.unsafe<Row[]>('select 1 from payments')",
      'server/server.ts': "await sql.unsafe('drop table roles')",
    },
  },

  "every statement on a merchant's records names the merchant": {
    rule: (among) =>
      each(
        among.filter(({ path }) => /^(?:business|metrics|processor|sandbox|worker)\//.test(path) && isQueries(path)),
        ({ code }) =>
          statementsIn(code)
            .filter(({ text }) => !namesMerchant(text))
            .map(({ owner }) => owner),
      ).filter((found) => !(found in WITHOUT_MERCHANT)),
    breaches: {
      'business/roles/queries.ts': `export async function findRole() { sql\`select role_id from roles where role_id = ${VALUE}\` }`,
      'business/employees/queries.ts':
        'function insertX() { tx`insert into employees (employee_id, merchant_id) values (1, 2)` }',
      'business/payments/call-queries.ts': `function findCall() { sql\`select action from processor_calls where payment_id = ${VALUE}\` }`,
      'business/movements/queries.ts':
        'function insertX(sql) { return sql`insert into movements (movement_id) select 1` }',
      'processor/queries.ts': 'function useRule() { tx`update processor_rules set remaining = 0` }',
      'sandbox/queries.ts': 'function x() { sql`select merchant_id from roles` }',
      'business/orders/queries.ts': 'function x() { tx<Row[]>`delete from orders` }',
      'business/refunds/queries.ts': `function moveX() { tx\`select ${CALL}(${VALUE})\` }`,
      'business/sales/past-queries.ts':
        'function x() { past.copy(SALES, (tx) => tx`copy sales (sale_id) from stdin`, []) }',
    },
  },

  // On several nodes PostgreSQL otherwise asks all of them (docs/ARCHITECTURE.md, "What SQL has to keep").
  'a subquery has its own condition on the merchant': {
    rule: (among) =>
      each(
        among.filter(({ path }) => path.startsWith('business/') && isQueries(path)),
        ({ code }) => code.match(/\bwhere \w+\.merchant_id = \w+\.merchant_id\b/g) ?? [],
      ).filter((found) => !(found in OTHER_CONDITION)),
    breaches: {
      'business/refunds/queries.ts':
        'function columns(sql) { return sql`(select at from payments where payments.merchant_id = refunds.merchant_id)` }',
    },
  },

  'SQL is written with explicit columns, lower-case keywords and no offset': {
    rule: (among) =>
      each(
        among.filter(({ path }) => isQueries(path) || path.startsWith('database/')),
        ({ code }) =>
          statementsIn(code)
            .filter(({ text }) => /\bselect \*|\.\*/.test(text) || oddStyleIn(text).length > 0)
            .map(({ owner }) => owner),
      ),
    breaches: {
      'business/roles/queries.ts': 'function a() { sql`select * from roles` }',
      'business/payments/call-queries.ts': 'function a() { sql`select c.* from processor_calls c` }',
      'access/token-queries.ts': 'function b() { sql`SELECT 1` }',
      'database/keyset.ts': 'function c() { sql`select a from b offset 5` }',
    },
  },

  'queries are called find, list, lock, read, insert, update, move, to for a conversion, or by what they are': {
    rule: (among) =>
      each(
        among.filter(({ path }) => isQueries(path)),
        ({ path, code }) =>
          [
            ...code.matchAll(
              path.startsWith('business/') ? /export (?:async )?function (\w+)/g : /export async function (\w+)/g,
            ),
          ]
            .map(([, name = '']) => name)
            .filter((name) => !/^(?:find|list|lock|read|insert|update|move|has|delete|to)[A-Z]/.test(name)),
      ).filter((found) => !(found in OTHER_VERBS)),
    breaches: {
      'business/roles/queries.ts': 'export async function getRole() {}',
      'business/payments/call-queries.ts': 'export function grabCall() {}',
      'access/token-queries.ts': 'export async function revokeToken() {}',
      'sandbox/fault-queries.ts': 'export async function useFaultRule() {}',
    },
  },

  'no business statement asks the database what time it is': {
    rule: (among) =>
      each(
        among.filter(({ path }) => isQueries(path)),
        ({ code }) => clockReadsIn(code),
      ),
    breaches: {
      'business/roles/queries.ts': `sql\`update roles set updated_at = now() where merchant_id = ${VALUE}\``,
      'business/orders/queries.ts': 'sql`select 1 where x < current_timestamp`',
      'access/devices/queries.ts': 'sql`select 1 where expires_at > now()`',
    },
  },
});

describe('src/', () => {
  it('has only queries whose SQL statements were all parsed', () => {
    const queries = sources.filter(({ path }) => isQueries(path));
    expect(queries.length).toBeGreaterThan(12);
    for (const { path, code } of queries) {
      // Complete statements are awaited or returned: typed ones to be awaited, others to be composed.
      const whole =
        /=> tx`\s*copy\b|=> sql<|\bawait (?:sql|tx)(?![\w.(])|\breturn (?:sql|tx)(?:<|`\s*(?:insert|update|delete|select|with)\b)/g;
      expect([path, statementsIn(code).length]).toEqual([path, [...code.matchAll(whole)].length]);
      expect(statementsIn(code).length).toBeGreaterThan(0);
    }
  });

  it('has no obsolete entry in its lists of exceptions', () => {
    const sqlElsewhere = sources.flatMap(({ path, code }) =>
      statementsIn(code).map(({ text }) => `${path}: ${text.slice(0, 40)}`),
    );
    for (const exception of Object.keys(SQL_ELSEWHERE)) expect(sqlElsewhere).toContain(exception);
    const owners = sources.flatMap(({ path, code }) =>
      statementsIn(code)
        .filter(({ text }) => !namesMerchant(text))
        .map(({ owner }) => `${path}: ${owner}`),
    );
    for (const exception of Object.keys(WITHOUT_MERCHANT)) expect(owners).toContain(exception);
    const functions = sources.flatMap(({ path, code }) =>
      [...code.matchAll(/export (?:async )?function (\w+)/g)].map(([, name]) => `${path}: ${name}`),
    );
    for (const exception of Object.keys(OTHER_VERBS)) expect(functions).toContain(exception);
  });
});

const laws = [...sources, ...functionFiles].filter(({ path }) => path.startsWith('check/'));

keepRules(
  {
    'check/ only reads': {
      rule: (among) =>
        each(among, ({ code }) =>
          [...code.matchAll(/\b(?:insert into|update \w+\s+set|delete from|truncate|for (?:update|share))\b/gi)].map(
            ([found]) => found,
          ),
        ),
      breaches: {
        'check/laws.ts': 'await tx`update payments set tip = 0 where merchant_id = 1`',
        'check/refund-laws.ts': 'await tx`select 1 from refunds for update`',
        'check/functions.sql': 'delete from movements;',
      },
    },
  },
  laws,
  'check/',
);

describe('check/', () => {
  it('runs its statements in a transaction that can only read', () => {
    expect(laws.some(({ code }) => code.includes('read only'))).toBe(true);
  });
});
