/** Stores up to where the books were checked, because `check/` only reads. */
import type { Database } from '../database/database.js';
import { type CheckProgress, insertCheckProgress } from './check-progress-queries.js';

/** Runs a check, and stores what the next one may skip. */
export async function withProgress<Outcome extends { readonly progress: CheckProgress | undefined }>(
  database: Database,
  check: () => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await check();
  const { progress } = outcome;
  if (progress) await database.statement((tx) => insertCheckProgress(tx, progress));
  return outcome;
}
