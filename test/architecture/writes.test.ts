/** Who writes what: each room writes its own records, and only the demo writes a past. */
import { describe, expect, it } from 'vitest';
import { PLACEMENTS } from '../../src/database/placement.js';
import { resourceOf } from './floors.js';
import { each, functionFiles, isQueries, keepRules, layerOf, type Source, sources } from './sources.js';

/** A resource of business/ is a room of its own. */
function roomOf(path: string): string {
  return layerOf(path) === 'business' ? resourceOf(path) : layerOf(path);
}

interface WriteOfOthers {
  /** A file, or a folder with a slash at its end. */
  readonly by: readonly string[];
  readonly names: readonly string[];
  readonly why: string;
}

/** Calls of queries of other rooms that write. All others go through the actions of the room, or its functions in the database. */
const WRITES_OF_OTHERS: readonly WriteOfOthers[] = [
  {
    by: ['worker/'],
    names: [
      'deleteDueWork',
      'updateDueWorkToClaimed',
      'updateDueWorkToPostponed',
      'updateKindsToPostponed',
      'updateRecurringWork',
      'updateClaimToReleased',
      'insertAttempts',
      'moveDeliveriesToGivenUp',
      'updateDeliveriesToClaimed',
      'updateDeliveriesToUnclaimed',
      'updateOldCopies',
    ],
    why: 'claiming, postponing and finishing is the work of the loops; the records have no other rules',
  },
  {
    by: ['worker/retention.ts', 'access/retention.ts', 'access/orphans.ts'],
    names: [
      'deleteEndedSubscriptions',
      'deleteEntries',
      'deleteOldAttempts',
      'deleteOldAuditEvents',
      'deleteOldEvents',
      'deleteOldWrites',
      'deleteUnusedPictures',
    ],
    why: 'retention: the statement of the room decides what is old',
  },
  {
    by: [
      'business/merchants/processor-choice.ts',
      'business/reconciliation/reported-events.ts',
      'server/processor-reports.ts',
    ],
    names: ['insertTrouble', 'updateProcessorAddress'],
    why: 'processor/ keeps what others decide or report, and has no rules for it',
  },
  {
    by: ['cli/token.ts'],
    names: ['moveTokenToRevoked'],
    why: 'only the operator does this, so the room itself has no action for it',
  },
  {
    by: ['sandbox/'],
    names: [
      'deleteRollUps',
      'deleteRule',
      'deleteRules',
      'insertDuplicate',
      'insertRule',
      'moveAuthorizationsToRevoked',
      'moveEventToWaiting',
      'updateClock',
      'updateDeliveriesToDueNow',
      'updateDeliveryToLate',
      'updateTokenExpiry',
    ],
    why: 'as above: what only the operator of a sandbox does',
  },
  {
    by: ['sandbox/actions.ts', 'sandbox/open-register.ts', 'demo/demo.ts', 'demo/demo-register.ts'],
    names: [
      'insertAccount',
      'insertEmployee',
      'insertPasscode',
      'insertPublishableKey',
      'insertRole',
      'insertScheduledWork',
      'moveAuthorizationsToRevoked',
      'moveTokensToRevoked',
      'updatePassword',
    ],
    why: 'a new business, with credentials that are known in advance, is written in one transaction; actions need a caller of the business',
  },
  {
    by: ['demo/history/opening.ts', 'demo/history/staff.ts'],
    names: [
      'insertBankAccount',
      'insertDevice',
      'insertEmployee',
      'insertPicture',
      'insertRegisteredApplication',
      'insertRole',
      'insertStore',
      'updatePictureUse',
    ],
    why: 'what the business has had since it opened: a few rows each, so not in bulk',
  },
  {
    by: ['business/orders/queries.ts', 'business/payments/create-queries.ts'],
    names: ['insertScheduledWork'],
    why: 'past records that are not finished have due work',
  },
  {
    by: ['business/merchants/actions.ts', 'business/merchants/locations.ts', 'business/merchants/queries.ts'],
    names: ['insertScheduledWork', 'updateRunTimes'],
    why: 'days close from the opening of a location on, by the clock of the merchant',
  },
];

/** The past has rules of its own, below. */
const isPast = (name: string) => /^insertPast[A-Z]/.test(name);

/** Queries may also contain parts of statements of other rooms, such as `nextDueWorkAt`. */
function isWrite(name: string, isInQueries: boolean): boolean {
  return isInQueries
    ? /^(?:insert|update|move|delete)[A-Z]/.test(name)
    : !/^(?:find|list|lock|read|has|[A-Z])/.test(name);
}

/** The names that each file takes from queries of other rooms to write. */
function writesOfOthers({ path, imports }: Source): string[] {
  return imports
    .filter(({ to, isType }) => !isType && isQueries(to) && roomOf(to) !== roomOf(path))
    .flatMap(({ names }) => names.filter((name) => isWrite(name, isQueries(path)) && !isPast(name)));
}

function isAllowed(path: string, name: string): boolean {
  return WRITES_OF_OTHERS.some(({ by, names }) => names.includes(name) && by.some((file) => isIn(path, file)));
}

function isIn(path: string, file: string): boolean {
  return file.endsWith('/') ? path.startsWith(file) : path === file;
}

/** Files that write to tables of other rooms, and why. */
const GUESTS: Readonly<Record<string, string>> = {
  'identity/credential-queries.ts: access_tokens':
    'notes when a credential was last used; identity/ is below the rooms that issue them',
  'identity/credential-queries.ts: devices': 'as above',
  'identity/credential-queries.ts: sessions': 'as above',
  'business/payments/functions.sql: due_work': 'a claim of due work is released together with the lease of its call',
  'business/payments/create-queries.ts: idempotency_keys': 'past payments have keys too',
  'business/buyers/functions.sql: merchant_snapshots': "erases a buyer's personal data wherever it is (decision 0176)",
  'database/archive/functions.sql: sale_copies': 'the copies of sales that move to the archive name rows that are gone',
  'worker/functions.sql: idempotency_keys': 'the keys of what is still under way are kept longer',
  'sandbox/functions.sql: due_work': 'after a reset nobody works on what was put back (decision 0171)',
  'sandbox/functions.sql: processor_calls': 'as above',
};

/** The tables to which a file writes. */
function tablesWrittenIn({ code }: Source): string[] {
  const tables = [...code.matchAll(/\b(?:insert into|update|delete from|copy) (\w+)/g)].map(([, table = '']) => table);
  return [...new Set(tables)].filter((table) => table in PLACEMENTS);
}

/** The tables of other rooms whose rows a file writes in a change. */
function rowsOfOthersWrittenIn({ path, code, imports }: Source): string[] {
  const foreign = imports
    .filter(({ to }) => to.endsWith('/table.ts') && roomOf(to) !== roomOf(path))
    .flatMap(({ names }) => names);
  const written = [...code.matchAll(/\bchange\.(?:insert|save|touch|add|delete)\(\s*(\w+)/g)].map(
    ([, table = '']) => table,
  );
  return written.filter((table) => foreign.includes(table));
}

const all = [...sources, ...functionFiles];

keepRules(
  {
    "a room writes another room's records through its actions, or its functions in the database": {
      rule: (among) => each(among, (source) => writesOfOthers(source).filter((name) => !isAllowed(source.path, name))),
      breaches: {
        'business/timecards/actions.ts': "import { findEmployee, updateEmployee } from '../employees/queries.js';",
        'business/timecards/v1.operations.ts': "import { insertRole } from '../roles/queries.js';",
        'business/refunds/actions.ts': "import { deleteCall } from '../payments/call-queries.js';",
        'business/payments/capture.ts': "import { insertMovement } from '../movements/queries.js';",
        'business/refunds/queries.ts': "import { insertMovements } from '../movements/queries.js';",
        'sandbox/actions.ts': "import { updateEmployee } from '../business/employees/queries.js';",
        'sandbox/clock.operations.ts': "import * as queries from '../business/merchants/queries.js';",
        'worker/due-work.ts': "import { movePaymentToCanceled } from '../business/payments/queries.js';",
        'demo/history/day.ts': "import { insertMovements } from '../../business/movements/queries.js';",
        'demo/demo.ts': "import { insertPayments } from '../business/payments/queries.js';",
        'cli/token.ts': "import { insertRole } from '../business/roles/queries.js';",
        'access/devices/pairing.ts': "import { insertAuditEvent } from '../../identity/audit-queries.js';",
        'events/subscriptions.ts': "import { deleteEntries } from '../identity/directory-queries.js';",
        'server/server.ts': "import { insertMerchant } from '../business/merchants/queries.js';",
      },
    },

    'a table is written to in one room': {
      rule: (among) => {
        const writes = among.flatMap((source) =>
          tablesWrittenIn(source).map((table) => ({ path: source.path, table, write: `${source.path}: ${table}` })),
        );
        const owned = writes.filter(({ write }) => !(write in GUESTS));
        const isShared = (table: string) =>
          new Set(owned.filter((each) => each.table === table).map(({ path }) => roomOf(path))).size > 1;
        return owned.filter(({ table }) => isShared(table)).map(({ write }) => write);
      },
      breaches: {
        'business/roles/queries.ts': 'await tx`update roles set name = null`',
        'business/employees/functions.sql': 'delete from roles where true;',
        'sandbox/functions.sql': 'update payments set tip = 1;',
        'business/payments/functions.sql': 'insert into payments values (1);',
      },
    },

    'a change writes rows of the tables of its room': {
      rule: (among) => each(among, rowsOfOthersWrittenIn),
      breaches: {
        'business/attendants/actions.ts':
          "import { timecards } from '../timecards/table.js';\nchange.insert(timecards, card);",
        'business/queue/actions.ts':
          "import { timecards } from '../timecards/table.js';\nchange.save(timecards, before, after);",
      },
    },

    'a past is written by demo/history/, in bulk, by functions that are called insertPast...': {
      rule: (among) =>
        each(among, ({ path, code, imports }) => [
          ...imports
            .flatMap(({ names }) => names.filter(isPast))
            .filter(() => path !== 'demo/history/write.ts' && !/\bfunction insertPast/.test(code)),
          ...[...code.matchAll(/function (?!insertPast)(\w+)\([^)]*\bBulk\b/g)].map(([, name = '']) => name),
          ...[...code.matchAll(/function (insertPast\w+)\((?!\s*\w+: Bulk\b)/g)].map(([, name = '']) => name),
        ]),
      breaches: {
        'business/orders/actions.ts': "import { insertPastOrders } from './queries.js';",
        'sandbox/seeding.ts': "import { insertPastSales } from '../business/sales/queries.js';",
        'demo/history/opening.ts': "import { insertPastTimecards } from '../../business/timecards/queries.js';",
        'business/refunds/queries.ts': 'export function insertRefunds(past: Bulk) {}',
        'business/sales/queries.ts': 'export async function insertPastSales(tx: Tx) {}',
      },
    },
  },
  all,
);

describe('the exceptions', () => {
  it('are all needed', () => {
    const taken = sources.flatMap((source) => writesOfOthers(source).map((name) => ({ path: source.path, name })));
    const unused = WRITES_OF_OTHERS.flatMap(({ by, names }) => [
      ...names.filter((name) => !taken.some((each) => each.name === name && by.some((file) => isIn(each.path, file)))),
      ...by.filter((file) => !taken.some((each) => names.includes(each.name) && isIn(each.path, file))),
    ]);
    expect(unused).toEqual([]);
    const written = all.flatMap((source) => tablesWrittenIn(source).map((table) => `${source.path}: ${table}`));
    expect(Object.keys(GUESTS).filter((guest) => !written.includes(guest))).toEqual([]);
  });
});
