/** Sandbox operations on the snapshot of a merchant (decision 0171). */
import { operation } from '../api/operation.js';
import { about, model, type Static, Time, Type } from '../api/wire.js';
import { nowOn } from '../base/clock.js';
import { printMilliseconds } from '../base/time.js';
import { requireMerchant } from './actions.js';
import type { Snapshot } from './snapshot-queries.js';
import { requireSnapshot, resetToSnapshot, takeSnapshot } from './snapshots.js';
import { SandboxClock, toSandboxClock } from './view.js';

const MERCHANT = '/api/sandbox/merchants/{merchant_id}';

const SnapshotModel = model('Snapshot', {
  taken_at: about('When it was taken, in real time.', Time),
  now: about("The merchant's business time then. A reset sets the clock back to it.", Time),
  records: about('How many records it has, of all kinds.', Type.Integer()),
});

const SnapshotResponse = Type.Object({ snapshot: about('The snapshot.', SnapshotModel) });

function toSnapshot({ takenAt, clock, recordCount }: Snapshot): Static<typeof SnapshotModel> {
  return {
    taken_at: printMilliseconds(takenAt),
    now: printMilliseconds(nowOn(clock, takenAt)),
    records: recordCount,
  };
}

export const sandboxSnapshotOperations = [
  operation({
    surface: 'sandbox',
    name: 'takeSnapshot',
    method: 'POST',
    path: `${MERCHANT}/snapshot`,
    permission: 'OPERATOR',
    summary: 'Keeps a copy of all records of a merchant and of its clock. It replaces the one before.',
    response: SnapshotResponse,
    async handle(context, { params: { merchant_id } }) {
      return { snapshot: toSnapshot(await takeSnapshot(context, merchant_id)) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'retrieveSnapshot',
    method: 'GET',
    path: `${MERCHANT}/snapshot`,
    permission: 'OPERATOR',
    summary: 'Shows when the snapshot of a merchant was taken.',
    response: SnapshotResponse,
    async handle(context, { params: { merchant_id } }) {
      await requireMerchant(context, merchant_id);
      return { snapshot: toSnapshot(await requireSnapshot(context.database.sql, merchant_id)) };
    },
  }),

  operation({
    surface: 'sandbox',
    name: 'resetMerchant',
    method: 'POST',
    path: `${MERCHANT}/reset`,
    permission: 'OPERATOR',
    summary: 'Puts all records of a merchant and its clock back to its snapshot. Everything after it is lost.',
    response: Type.Object({
      snapshot: about('The snapshot, which is kept.', SnapshotModel),
      clock: about('The clock after the reset.', SandboxClock),
    }),
    async handle(context, { params: { merchant_id } }) {
      const snapshot = toSnapshot(await resetToSnapshot(context, merchant_id));
      return { snapshot, clock: toSandboxClock((await requireMerchant(context, merchant_id)).clock) };
    },
  }),
];
