/** Stores pictures, each once for a merchant. */
import type { OwnerContext } from '../../api/operation.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { MAX_PICTURES, type Picture } from './model.js';
import { findPictureCount, readPicture } from './queries.js';
import { pictures } from './table.js';

/** A picture that is already stored counts as uploaded now. */
export async function storePicture({ database, merchant }: OwnerContext, picture: Picture): Promise<void> {
  const uploadedAt = realNow();
  await database.change(merchant.id, async (change) => {
    const known = await readPicture(change, picture.id);
    if (known) {
      change.save(pictures, known, { ...known, uploadedAt });
      return;
    }
    if ((await findPictureCount(change.sql, merchant.id)) >= MAX_PICTURES) {
      throw new Refusal('WRONG_STATE', { detail: `A business can have at most ${MAX_PICTURES} pictures.` });
    }
    change.insert(pictures, { ...picture, uploadedAt });
  });
}
