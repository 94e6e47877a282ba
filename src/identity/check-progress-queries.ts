/** Every SQL statement that writes up to where the books were checked (decision 0249). */
import type { Tx } from '../database/database.js';

/** What the next check may skip. */
export interface CheckProgress {
  readonly place: string;
  readonly laws: string;
  readonly horizon: string;
  /** In JSON. */
  readonly sums: object;
  readonly open: readonly { readonly law: string; readonly merchantId: string; readonly subject: string }[];
  /** When a check last read everything, on the clock of the database. */
  readonly fullyCheckedAt: string;
}

/** Checks that run at the same time may store in any order: each says what is true of its own moment. */
export async function insertCheckProgress(
  tx: Tx,
  { place, laws, horizon, sums, open, fullyCheckedAt }: CheckProgress,
): Promise<void> {
  await tx`
    insert into check_progress (place, laws, horizon, sums, open_findings, fully_checked_at)
    values (
      ${place}, ${laws}, ${horizon}::text::bigint, ${JSON.stringify(sums)}::text::json, ${JSON.stringify(open)}::text::json, ${fullyCheckedAt}::text::timestamptz
    )
    on conflict (only_row) do update
    set place = excluded.place, laws = excluded.laws, horizon = excluded.horizon, sums = excluded.sums, open_findings = excluded.open_findings,
      fully_checked_at = excluded.fully_checked_at`;
}
