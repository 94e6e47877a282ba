/** Every SQL statement on watched merchants. */
import type { Tx } from '../database/database.js';
import { fn } from '../database/functions.js';

/** Records until when a server watches. Returns whether another server, or this one, did so before. */
export async function insertWatch(
  tx: Tx,
  merchantId: string,
  watch: {
    readonly serverId: string;
    readonly now: number;
    readonly until: number;
    /** Marks that are older are deleted: every server has seen them. */
    readonly seenBefore: number;
  },
): Promise<boolean> {
  const [row] = await tx<{ wasWatched: boolean }[]>`
    select ${fn(tx, 'watch_merchant')}(
      ${merchantId}, ${watch.serverId}, ${watch.now}, ${watch.until}, ${watch.seenBefore}
    ) as was_watched`;
  return row?.wasWatched ?? false;
}

/** Tells the servers that watch the merchant which topics have changed. */
export async function updateMarks(
  tx: Tx,
  merchantId: string,
  serverId: string,
  marks: Readonly<Record<string, number>>,
): Promise<void> {
  await tx`select ${fn(tx, 'announce_changes')}(${merchantId}, ${serverId}, ${JSON.stringify(marks)}::text::jsonb)`;
}
