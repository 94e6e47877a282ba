/** Who may import whom in src/: rooms, and the resources of business/. */
import { describe, expect, it } from 'vitest';
import { FLOORS, floorOf, MAY_IMPORT, resourceOf } from './floors.js';
import { type Breaches, each, functionFiles, isOurs, keepRules, layerOf, sources } from './sources.js';

/** At least one for each row of MAY_IMPORT. */
const ROOM_BREACHES: Breaches = {
  'base/time.ts': "import type { Database } from '../database/database.js';",
  'database/migrate.ts': "import { Type } from '../api/wire.js';",
  'tables.ts': "import { startWorker } from './worker/worker.js';",
  'api/routes.ts': "import { findEmployee } from '../business/employees/queries.js';",
  'api/docs.ts': "import {\n  a,\n  b,\n} from '../demo/demo.js';",
  'api/openapi.ts': "import type { WorkContext } from '../worker/due-work.js';",
  'access/tokens.ts': "import type { Merchant } from '../business/merchants/model.js';",
  'access/devices/pairing.ts': "import type { Card } from '../../processor/contract.js';",
  'identity/credentials.ts': "import type { Operation } from '../api/operation.js';",
  'identity/audit.ts': "import { findAccountByEmail } from '../access/dashboard/queries.js';",
  'events/subscriptions.ts': "import { findAuthorization } from '../access/oauth/queries.js';",
  'api/authenticate.ts': "import { openSession } from '../access/dashboard/sessions.js';",
  'processor/simulator.ts': "const x = await import('../business/payments/model.js');",
  'processor/rules.ts': "import type { Operation } from '../api/operation.js';",
  'processor/sources.ts': "import { PERMISSIONS } from '../identity/permissions.js';",
  'business/roles/queries.ts': "export * from '../../server/server.js';",
  'business/payments/calls.ts': "import { runDueWork } from '../../worker/due-work.js';",
  'business/merchants/actions.ts': "import { changeClock } from '../../sandbox/actions.js';",
  'business/refunds/actions.ts': "import { LAWS } from '../../check/laws.js';",
  'worker/worker.ts': "import { openMerchant } from '../sandbox/actions.js';",
  'demo/demo.ts': "import { LAWS } from '../check/laws.js';",
  'demo/seed.ts': "import { changeClock } from '../sandbox/actions.js';",
  'sandbox/actions.ts': "import { makeDemo } from '../demo/demo.js';",
  'check/laws.ts': "import { add } from '../base/money.js';",
  'check/timecards.ts': "import { TIMECARD_TRANSITIONS } from '../business/timecards/model.js';",
  'server/serve.ts': "import { check } from '../cli/check.js';",
  'utilities/x.ts': '',
  'operations.ts': "import { check } from './cli/check.js';",
  'kit-server.ts': "import { startServer } from './server/server.js';",
  'keeper.ts': "import { newSecret } from './base/ids.js';",
  'main.ts': "import { startServer } from './server/server.js';",
  'sandbox-client.ts': "import type { Merchant } from './business/merchants/model.js';",
  'metrics/queries.ts': "import { findDue } from '../worker/agenda-queries.js';",
  'tracing/spans.ts': "import type { Database } from '../database/database.js';",
  'backup/backup.ts': "import { findMerchant } from '../business/merchants/queries.js';",
  'recording/replay.ts': "import { startServer } from '../server/server.js';",
  'cli/serve.ts': "import { Meter } from '../metrics/meter.js';",
  'testing/index.ts': "import { createMerchant } from '../business/merchants/actions.js';",
};

keepRules({
  'a folder imports only what lies below it': {
    rule: (among) =>
      each(among, ({ path, imports }) => {
        const allowed = MAY_IMPORT[layerOf(path)];
        if (!allowed) return ['stands on no floor'];
        return imports.filter(({ to }) => isOurs(to) && !allowed.includes(layerOf(to))).map(({ to }) => to);
      }),
    breaches: ROOM_BREACHES,
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
  });

  it('have a planted violation in each room', () => {
    const planted = new Set(Object.keys(ROOM_BREACHES).map(layerOf));
    expect(Object.keys(MAY_IMPORT).filter((room) => !planted.has(room))).toEqual([]);
  });

  it('cover every import: each line with an import was parsed', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(400);
    for (const { path, code, imports } of sources) {
      expect([path, code.match(/\bfrom '|\bimport\('|^import '/gm)?.length ?? 0]).toEqual([path, imports.length]);
    }
  });
});
