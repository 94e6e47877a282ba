/** Recognizes a picture by its content, and reads its type and size. A file name or a header is never trusted. Pure. */
import { contentId } from '../../base/ids.js';

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;

export type PictureType = (typeof PICTURE_TYPES)[number];

/** In base64, a picture of this size fits into a request body. Pages make larger pictures smaller before they send them. */
export const MAX_PICTURE_BYTES = 750_000;
/** In pixels. A browser needs four bytes for each pixel, however small the file is. */
export const MAX_PICTURE_SIDE = 4096;
/** The maximum number of pictures of a merchant. */
export const MAX_PICTURES = 3000;

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Picture extends Size {
  readonly id: string;
  readonly contentType: PictureType;
  readonly content: Buffer;
}

/** Undefined if the content is not a picture of one of the types. */
export function parsePicture(content: Buffer): Picture | undefined {
  for (const [contentType, readSize] of READERS) {
    const size = readSize(content);
    if (!size || size.width === 0 || size.height === 0) continue;
    return { id: contentId(content), contentType, ...size, content };
  }
  return undefined;
}

type SizeReader = (content: Buffer) => Size | undefined;

const READERS: readonly (readonly [PictureType, SizeReader])[] = [
  ['image/png', readPngSize],
  ['image/jpeg', readJpegSize],
  ['image/webp', readWebpSize],
];

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The first chunk is the header, which begins with the size. */
function readPngSize(content: Buffer): Size | undefined {
  const isPng =
    content.length >= 33 &&
    content.subarray(0, 8).equals(PNG_SIGNATURE) &&
    content.toString('latin1', 12, 16) === 'IHDR';
  return isPng ? { width: content.readUInt32BE(16), height: content.readUInt32BE(20) } : undefined;
}

/** Markers of frames, which contain the size. C4, C8 and CC are other segments. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Walks over the segments until the first frame. */
function readJpegSize(content: Buffer): Size | undefined {
  if (content.length < 4 || content.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= content.length && content[at] === 0xff) {
    const marker = content[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1; // a fill byte
    } else if (isFrame(marker)) {
      return { height: content.readUInt16BE(at + 5), width: content.readUInt16BE(at + 7) };
    } else {
      at += 2 + content.readUInt16BE(at + 2);
    }
  }
  return undefined;
}

/** Three encodings, each with its own place for the size. */
function readWebpSize(content: Buffer): Size | undefined {
  const isWebp =
    content.length >= 30 && content.toString('latin1', 0, 4) === 'RIFF' && content.toString('latin1', 8, 12) === 'WEBP';
  if (!isWebp) return undefined;
  switch (content.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: content.readUInt16LE(26) & 0x3fff, height: content.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = content.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: content.readUIntLE(24, 3) + 1, height: content.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
