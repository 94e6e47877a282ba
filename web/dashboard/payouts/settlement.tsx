/** A settlement as pages show it. */
import type { dashboard, ResponseOf } from '../../client/operations.js';
import { Tag } from '../../ui/tag.js';

export type Settlement = ResponseOf<typeof dashboard.listSettlements>['settlements'][number];

export function SettlementState({ settlement: { status } }: { readonly settlement: Settlement }) {
  return status === 'SENT' ? <Tag tone="good">Sent</Tag> : <Tag tone="bad">Failed</Tag>;
}
