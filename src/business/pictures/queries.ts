/** SQL for pictures, and for the retention of those that nothing uses. */
import type { Instant } from '../../base/time.js';
import { type Change, changeIn } from '../../database/change.js';
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import type { Picture } from './model.js';
import { pictures, type StoredPicture } from './table.js';
import { usePicture } from './uses.js';

/** Finds a picture that is stored already. The change depends on it, also if there is none. */
export async function readPicture(change: Change, id: string): Promise<StoredPicture | undefined> {
  return change.read(pictures, { id });
}

/** How many pictures the merchant has. */
export async function findPictureCount(sql: Sql, merchantId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from pictures
    where merchant_id = ${merchantId}`;
  return row?.count ?? 0;
}

/** In the transaction that makes a business. */
export async function insertPicture(tx: Tx, merchantId: string, picture: Picture, uploadedAt: Instant): Promise<void> {
  await changeIn(tx, merchantId, (change) => change.insert(pictures, { ...picture, uploadedAt }));
}

export async function findPicture(
  sql: Sql,
  merchantId: string,
  pictureId: string,
): Promise<Pick<Picture, 'contentType' | 'content'> | undefined> {
  const [row] = await sql<Pick<Picture, 'contentType' | 'content'>[]>`
    select content_type, content
    from pictures
    where merchant_id = ${merchantId} and picture_id = ${pictureId}`;
  return row;
}

/** In a transaction that writes the record otherwise than by a change. */
export async function updatePictureUse(
  tx: Tx,
  merchantId: string,
  usedBy: string,
  pictureId: string | null,
): Promise<void> {
  await changeIn(tx, merchantId, (change) => usePicture(change, usedBy, pictureId));
}

/** Limits the search to some merchants; the others are found an hour later. */
const MERCHANTS_PER_SEARCH = 1000;

/** On one shard, see `listShards`. */
export async function listMerchantsWithOldPictures(sql: Sql, shard: string, before: Instant): Promise<string[]> {
  const rows = await sql<{ merchantId: string }[]>`
    select ${fn(sql, 'list_merchants_with_old_pictures')}(${shard}, ${before}, ${MERCHANTS_PER_SEARCH}) as merchant_id`;
  return rows.map(({ merchantId }) => merchantId);
}

/** Deletes pictures that were uploaded before that time and that nothing uses, at most `limit`. Returns how many. */
export async function deleteUnusedPictures(
  tx: Tx,
  merchantId: string,
  { before, limit }: { readonly before: Instant; readonly limit: number },
): Promise<number> {
  const [row] = await tx<{ deleted: number }[]>`
    select ${fn(tx, 'delete_unused_pictures')}(${merchantId}, ${before}, ${limit}) as deleted`;
  return row?.deleted ?? 0;
}
