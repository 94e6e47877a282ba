/** SQL statements on what needs the attention of the operator (decision 0197). */
import type { Instant } from '../base/time.js';
import type { Tx } from '../database/database.js';

export interface ReportedTrouble {
  readonly merchantId: string;
  readonly kind: 'refund' | 'dispute';
  /** The key of the refund, or the id of the dispute. */
  readonly subject: string;
}

/** Returns false if it was reported before. */
export async function insertTrouble(
  tx: Tx,
  { merchantId, kind, subject }: ReportedTrouble,
  at: Instant,
): Promise<boolean> {
  const rows = await tx`
    insert into processor_troubles (merchant_id, kind, subject, reported_at)
    values (${merchantId}, ${kind}, ${subject}, ${at})
    on conflict (merchant_id, kind, subject) do nothing
    returning 1`;
  return rows.length > 0;
}
