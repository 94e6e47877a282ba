/** The public address of a picture. */
import type { Page } from '../../api/pages.js';
import { notFound } from '../../base/errors.js';
import { findPicture } from './queries.js';
import { PICTURE_PATH } from './view.js';

export const picturePage: Page = {
  surface: 'dashboard',
  name: 'showPicture',
  method: 'GET',
  path: PICTURE_PATH,
  guard: 'pictures',
  async handle({ database }, { params: { merchant_id = '', picture_id = '' } }) {
    const picture = isId(merchant_id) && isId(picture_id) && (await findPicture(database.sql, merchant_id, picture_id));
    if (!picture) throw notFound('picture', picture_id);
    return { file: picture.content, type: picture.contentType };
  },
};

/** Longer values, and characters that no id has, are refused without a lookup. */
function isId(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}
