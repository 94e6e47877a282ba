/** QR codes, read back by a decoder that shares nothing with the encoder but the standard. */
import { describe, expect, it } from 'vitest';
import { qrModules } from './qr-code.js';

/** The 15 bits of the format for error correction M and each mask, from the table of the standard. */
const FORMATS = [
  '101010000010010',
  '101000100100101',
  '101111001111100',
  '101101101001011',
  '100010111111001',
  '100000011001110',
  '100111110010111',
  '100101010100000',
];

const MASKS: ((i: number, j: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => ((i >> 1) + Math.trunc(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2 === 0,
];

/** [error correction bytes of a block, data bytes of each block] for M, from the table of the standard. */
const BLOCKS: Record<number, [number, number[]]> = {
  1: [10, [16]],
  2: [16, [28]],
  3: [26, [44]],
  4: [18, [32, 32]],
  5: [24, [43, 43]],
  6: [16, [27, 27, 27, 27]],
  7: [18, [31, 31, 31, 31]],
  8: [22, [38, 38, 39, 39]],
  9: [22, [36, 36, 36, 37, 37]],
  10: [26, [43, 43, 43, 43, 44]],
  11: [30, [50, 51, 51, 51, 51]],
  12: [22, [36, 36, 36, 36, 36, 36, 37, 37]],
  13: [22, [37, 37, 37, 37, 37, 37, 37, 37, 38]],
  14: [24, [40, 40, 40, 40, 41, 41, 41, 41, 41]],
  15: [24, [41, 41, 41, 41, 41, 42, 42, 42, 42, 42]],
};

const ALIGNMENT: Record<number, number[]> = {
  ...{ 1: [], 2: [18], 3: [22], 4: [26], 5: [30], 6: [34], 7: [6, 22, 38], 8: [6, 24, 42], 9: [6, 26, 46] },
  ...{ 10: [6, 28, 50], 11: [6, 30, 54], 12: [6, 32, 58], 13: [6, 34, 62], 14: [6, 26, 46, 66], 15: [6, 26, 48, 70] },
};

const EXP = [1];
for (let power = 1; power < 255; power++) {
  const doubled = (EXP[power - 1] ?? 0) * 2;
  EXP.push(doubled > 255 ? doubled ^ 0x11d : doubled);
}

function times(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : (EXP[(EXP.indexOf(one) + EXP.indexOf(other)) % 255] ?? 0);
}

function isFunction(version: number, size: number, i: number, j: number): boolean {
  if (i === 6 || j === 6) return true;
  if ((i < 9 && j < 9) || (i < 9 && j >= size - 8) || (i >= size - 8 && j < 9)) return true;
  if (version >= 7 && ((i < 6 && j >= size - 11) || (j < 6 && i >= size - 11))) return true;
  const centres = ALIGNMENT[version] ?? [];
  const last = centres.at(-1);
  return centres.some((a) =>
    centres.some((b) => {
      const inCorner = (a === 6 && b === 6) || (a === 6 && b === last) || (a === last && b === 6);
      return (!inCorner || centres.length === 1) && Math.abs(i - a) <= 2 && Math.abs(j - b) <= 2;
    }),
  );
}

function decode(modules: readonly (readonly boolean[])[]): string {
  const size = modules.length;
  const version = (size - 17) / 4;
  const at = (i: number, j: number) => modules[i]?.[j] === true;
  const bits = (places: [number, number][]) => places.map(([i, j]) => (at(i, j) ? '1' : '0')).join('');
  // From the first bit on, as the standard draws them.
  const one = bits([
    ...[0, 1, 2, 3, 4, 5, 7, 8].map((j): [number, number] => [8, j]),
    ...[7, 5, 4, 3, 2, 1, 0].map((i): [number, number] => [i, 8]),
  ]);
  const two = bits([
    ...[1, 2, 3, 4, 5, 6, 7].map((k): [number, number] => [size - k, 8]),
    ...[8, 7, 6, 5, 4, 3, 2, 1].map((k): [number, number] => [8, size - k]),
  ]);
  expect(one).toBe(two);
  expect(at(size - 8, 8)).toBe(true);
  const mask = FORMATS.indexOf(one);
  expect(mask).toBeGreaterThanOrEqual(0);

  const stream: number[] = [];
  for (let pair = 0, right = size - 1; right > 0; pair++, right -= right === 8 ? 3 : 2) {
    for (let step = 0; step < size; step++) {
      const i = pair % 2 === 0 ? size - 1 - step : step;
      for (const j of [right, right - 1]) {
        if (!isFunction(version, size, i, j)) stream.push(Number(at(i, j) !== MASKS[mask]?.(i, j)));
      }
    }
  }
  const bytes = Array.from({ length: stream.length >> 3 }, (_, index) =>
    Number.parseInt(stream.slice(index * 8, index * 8 + 8).join(''), 2),
  );
  const [check, lengths] = BLOCKS[version] ?? [0, []];
  const blocks: number[][] = lengths.map(() => []);
  let next = 0;
  for (let row = 0; row < Math.max(...lengths); row++) {
    lengths.forEach((length, index) => {
      if (row < length) blocks[index]?.push(bytes[next++] ?? 0);
    });
  }
  for (let row = 0; row < check; row++) for (const block of blocks) block.push(bytes[next++] ?? 0);
  expect(next).toBe(bytes.length);
  for (const block of blocks) {
    for (let power = 0; power < check; power++) {
      const syndrome = block.reduce((sum, byte) => times(sum, EXP[power] ?? 0) ^ byte, 0);
      expect(syndrome).toBe(0);
    }
  }
  const data = blocks.flatMap((block, index) => block.slice(0, lengths[index]));
  const text = data.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  expect(text.slice(0, 4)).toBe('0100');
  const wide = version < 10 ? 8 : 16;
  const length = Number.parseInt(text.slice(4, 4 + wide), 2);
  const content = text.slice(4 + wide, 4 + wide + length * 8).match(/.{8}/g) ?? [];
  return new TextDecoder().decode(Uint8Array.from(content.map((byte) => Number.parseInt(byte, 2))));
}

describe('a QR code', () => {
  it.each([1, 14, 15, 26, 27, 42, 62, 84, 106, 122, 152, 180, 213, 214, 251, 287, 331, 362, 412])(
    'encodes a text of %d bytes',
    (length) => {
      const text = `https://shop.example/receipts/${'aZ9'.repeat(150)}`.slice(0, length);
      expect(decode(qrModules(text))).toBe(text);
    },
  );

  it('encodes letters beyond ASCII', () => expect(decode(qrModules('Kaffee für 3 € ☕'))).toBe('Kaffee für 3 € ☕'));

  it('contains its version from version 7 on', () => {
    const modules = qrModules('x'.repeat(110));
    const size = modules.length;
    expect(size).toBe(17 + 4 * 7);
    let bits = '';
    for (let bit = 17; bit >= 0; bit--) bits += modules[Math.floor(bit / 3)]?.[size - 11 + (bit % 3)] ? '1' : '0';
    expect(bits).toBe('000111110010010100'); // from the table of the standard
  });

  it('refuses a text that is too long', () => expect(() => qrModules('x'.repeat(413))).toThrow(RangeError));
});
