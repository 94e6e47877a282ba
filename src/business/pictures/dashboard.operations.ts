/** Dashboard operation that uploads pictures. */
import { LARGEST_BODY_BYTES } from '../../api/body-limits.js';
import { operation } from '../../api/operation.js';
import { about, Type } from '../../api/wire.js';
import { storePicture } from './actions.js';
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
    async handle(context, { body }) {
      const picture = fromPictureBody(body);
      await storePicture(context, picture);
      return { picture: toPictureView(context.merchant.id, picture) };
    },
  }),
];
