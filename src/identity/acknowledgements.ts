/** Records why something that `tillhouse check` has found is no fault of the books (decision 0248). */
import { realNow } from '../base/clock.js';
import type { Database } from '../database/database.js';
import { type Finding, insertAcknowledgement } from './acknowledgement-queries.js';
import { recordAudit } from './audit.js';

export async function acknowledgeFinding(database: Database, finding: Finding, reason: string): Promise<void> {
  const { merchantId, law, subject } = finding;
  await database.transaction(async (tx) => {
    await insertAcknowledgement(tx, finding, { reason, at: realNow() });
    await recordAudit(tx, { kind: 'FINDING_ACKNOWLEDGED', merchantId, details: { law, subject, reason } });
  });
}
