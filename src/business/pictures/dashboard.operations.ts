/** Dashboard operation that uploads pictures. */
import { LARGEST_BODY_BYTES } from '../../api/body-limits.js';
import { operation } from '../../api/operation.js';
import { about, Type } from '../../api/wire.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { MAX_PICTURES } from './model.js';
import { insertPicture } from './queries.js';
import { fromPictureBody, PictureBody, PictureView, toPictureView } from './view.js';

export const dashboardPictureOperations = [
  operation({
    surface: 'dashboard',
    name: 'uploadPicture',
    method: 'POST',
    path: '/api/dashboard/pictures',
    permission: 'OWNER',
    maxBodyBytes: LARGEST_BODY_BYTES,
    summary: 'Uploads a picture. One that no item or receipt uses is deleted after a day.',
    body: PictureBody,
    example: {
      body: {
        content: 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGNQbgoHIgYIBQAazgPxnTpAwgAAAABJRU5ErkJggg==',
      },
    },
    response: Type.Object({ picture: about('The stored picture.', PictureView) }),
    addsNoWork: true,
    async handle({ database, merchant }, { body }) {
      const picture = fromPictureBody(body);
      const isSaved = await database.statement((tx) => insertPicture(tx, merchant.id, picture, realNow()));
      if (!isSaved)
        throw new Refusal('WRONG_STATE', { detail: `A business can have at most ${MAX_PICTURES} pictures.` });
      return { picture: toPictureView(merchant.id, picture) };
    },
  }),
];
