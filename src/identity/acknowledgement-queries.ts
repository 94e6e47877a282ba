/** Every SQL statement that writes findings of `tillhouse check` that were explained (decision 0248). */
import type { Instant } from '../base/time.js';
import type { Tx } from '../database/database.js';

/** What a law has found. */
export interface Finding {
  readonly merchantId: string;
  readonly law: string;
  readonly subject: string;
  readonly found: string;
}

export async function insertAcknowledgement(
  tx: Tx,
  { merchantId, law, subject, found }: Finding,
  { reason, at }: { readonly reason: string; readonly at: Instant },
): Promise<void> {
  await tx`
    insert into acknowledged_breaches (merchant_id, law, subject, found, reason, acknowledged_at)
    values (${merchantId}, ${law}, ${subject}, ${found}, ${reason}, ${at})
    on conflict do nothing`;
}
