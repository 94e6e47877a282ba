/** The wire format of pictures, and their addresses. */
import { about, choice, model, type Static, Type } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { MAX_PICTURE_BYTES, MAX_PICTURE_SIDE, PICTURE_TYPES, type Picture, parsePicture } from './model.js';

/** Four characters for each three bytes. */
const MAX_BASE64_LENGTH = Math.ceil(MAX_PICTURE_BYTES / 3) * 4;

export const PictureBody = Type.Object({
  content: about(
    `A PNG, JPEG or WebP file in base64, at most ${MAX_PICTURE_BYTES / 1000} kB.`,
    Type.String({ minLength: 1, maxLength: MAX_BASE64_LENGTH }),
  ),
});

export const PictureView = model('Picture', {
  id: about('The id of the picture. Equal pictures have the same id.', Type.String()),
  url: about(
    'Where the picture is: a path of this server, readable without a session. Its content never changes.',
    Type.String(),
  ),
  content_type: about('The format of the picture.', choice(PICTURE_TYPES)),
  width: about('The width in pixels.', Type.Integer()),
  height: about('The height in pixels.', Type.Integer()),
});

/** The merchant is in the path, so that the picture is found on one node. */
export const PICTURE_PATH = '/pictures/:merchant_id/:picture_id';

export function pictureUrl(merchantId: string, pictureId: string): string {
  return `/pictures/${merchantId}/${pictureId}`;
}

export function fromPictureBody({ content }: Static<typeof PictureBody>): Picture {
  const picture = parsePicture(Buffer.from(content, 'base64'));
  if (!picture) {
    throw refuse('The content is not a PNG, JPEG or WebP picture.');
  }
  if (picture.content.length > MAX_PICTURE_BYTES) {
    throw refuse(`The picture has ${picture.content.length} bytes, but at most ${MAX_PICTURE_BYTES} are possible.`);
  }
  if (picture.width > MAX_PICTURE_SIDE || picture.height > MAX_PICTURE_SIDE) {
    throw refuse(
      `The picture has ${picture.width} x ${picture.height} pixels, but at most ${MAX_PICTURE_SIDE} x ${MAX_PICTURE_SIDE} are possible.`,
    );
  }
  return picture;
}

function refuse(detail: string): Refusal {
  return new Refusal('INVALID_VALUE', { field: 'content', detail });
}

export function toPictureView(merchantId: string, picture: Picture): Static<typeof PictureView> {
  const { id, contentType, width, height } = picture;
  return { id, url: pictureUrl(merchantId, id), content_type: contentType, width, height };
}
