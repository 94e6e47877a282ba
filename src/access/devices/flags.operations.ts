/** Operations with which the owner looks at writes of registers that may not have been allowed (decision 0157). */

import { listOperation, operation } from '../../api/operation.js';
import { SAMPLE_IDS, SAMPLE_VALUES } from '../../api/sample-ids.js';
import { about, Nothing, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { listOpenFlags, updateFlagsToReviewed } from './flag-queries.js';
import { FlaggedWrite, toFlaggedWrite } from './flags.view.js';

const WRITES = '/api/dashboard/flagged-writes';
const MAX_REVIEWED = 100;

export const dashboardFlagOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listFlaggedWrites',
    method: 'GET',
    path: WRITES,
    permission: 'OWNER',
    summary: 'Lists what registers did and the owner should look at, newest first.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['writes'] },
    item: FlaggedWrite,
    async handle({ database, merchant }, { page }) {
      const { items, next } = await listOpenFlags(database.sql, merchant.id, page);
      return { items: items.map(toFlaggedWrite), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'markReviewed',
    method: 'POST',
    path: `${WRITES}/reviewed`,
    permission: 'OWNER',
    summary: 'Marks flagged writes as reviewed. They stay on the pages of their sales.',
    body: Type.Object({
      writes: about(
        'The writes that the owner has looked at.',
        Type.Array(
          Type.Object({
            device_id: about('The register that kept the write.', text(64, { minLength: 1 })),
            write_id: about('The id that the register gave to the write.', text(64, { minLength: 1 })),
          }),
          {
            minItems: 1,
            maxItems: MAX_REVIEWED,
          },
        ),
      ),
    }),
    example: { body: { writes: [{ device_id: SAMPLE_IDS.device_id, write_id: SAMPLE_VALUES.kept_write_id }] } },
    response: Nothing,
    async handle({ database, merchant, now }, { body }) {
      const writes = body.writes.map(({ device_id, write_id }) => ({ deviceId: device_id, clientId: write_id }));
      const found = await database.statement((tx) => updateFlagsToReviewed(tx, merchant.id, { writes, at: now }));
      if (found === 0) throw new Refusal('NOT_FOUND', { detail: 'There are no such flagged writes.' });
      return {};
    },
  }),
];
