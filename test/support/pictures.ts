/** Pictures for tests: real PNG files of one colour, and the beginnings of other formats. */
import { crc32, deflateSync } from 'node:zlib';

type Color = readonly [red: number, green: number, blue: number];

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

export function makePng(width: number, height: number, color: Color = [35, 130, 87]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from(color))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** The segments before the pixels: a comment, a fill byte, and the frame with the size. */
export function makeJpegHead(width: number, height: number): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, 6, 1, 2, 3, 4, 0xff]);
  const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3, 1, 2, 3, 4]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, frame]);
}

/** The beginning of each of the three encodings of WebP. */
export function makeWebpHead(encoding: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const head = Buffer.alloc(40);
  head.write('RIFF', 0, 'latin1');
  head.write(`WEBP${encoding}`, 8, 'latin1');
  if (encoding === 'VP8 ') {
    head.writeUInt16LE(width, 26);
    head.writeUInt16LE(height, 28);
  } else if (encoding === 'VP8L') {
    head.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  } else {
    head.writeUIntLE(width - 1, 24, 3);
    head.writeUIntLE(height - 1, 27, 3);
  }
  return head;
}

export const PNG_IN_BASE64 = makePng(2, 2).toString('base64');
