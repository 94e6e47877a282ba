/** SQL for pictures, and for the retention of those that nothing uses. */
import type { Instant } from '../../base/time.js';
import { changeIn } from '../../database/change.js';
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { MAX_PICTURES, type Picture } from './model.js';
import { usePicture } from './uses.js';

/** Returns false if the merchant has too many pictures. */
export async function insertPicture(tx: Tx, merchantId: string, picture: Picture, at: Instant): Promise<boolean> {
  const { id, contentType, width, height, content } = picture;
  const [row] = await tx<{ saved: boolean }[]>`
    select ${fn(tx, 'save_picture')}(
      ${merchantId}, ${id}, ${contentType}, ${width}, ${height}, ${content}, ${at}, ${MAX_PICTURES}
    ) as saved`;
  return row?.saved === true;
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
