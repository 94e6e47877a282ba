/** Draws texts as QR codes (ISO/IEC 18004): bytes, error correction M, versions 1 to 15. */

/** For each version from 1: the error correction bytes of a block, the number of blocks, and the centres of the alignment patterns. */
const VERSIONS: readonly (readonly [perBlock: number, blocks: number, alignment: readonly number[]])[] = [
  [10, 1, []],
  [16, 1, [6, 18]],
  [26, 1, [6, 22]],
  [18, 2, [6, 26]],
  [24, 2, [6, 30]],
  [16, 4, [6, 34]],
  [18, 4, [6, 22, 38]],
  [22, 4, [6, 24, 42]],
  [22, 5, [6, 26, 46]],
  [26, 5, [6, 28, 50]],
  [30, 5, [6, 30, 54]],
  [22, 8, [6, 32, 58]],
  [22, 9, [6, 34, 62]],
  [24, 9, [6, 26, 46, 66]],
  [24, 10, [6, 26, 48, 70]],
];

/** The dark modules, row by row, without the quiet zone around them. Throws for texts of more than 412 bytes. */
export function qrModules(text: string): readonly (readonly boolean[])[] {
  const bytes = new TextEncoder().encode(text);
  const version = 1 + VERSIONS.findIndex((_, index) => bytes.length <= capacityOf(index + 1));
  if (version === 0) throw new RangeError('the text is too long for a QR code');
  const grid = new Grid(version);
  grid.drawFunctionPatterns();
  grid.drawBytes(withErrorCorrection(toDataBytes(bytes, version), version));
  return bestMask(grid);
}

function sizeOf(version: number): number {
  return 17 + 4 * version;
}

/** By version, because a code is tried with every smaller one first. */
const knownBytes = new Map<number, number>();

/** All bytes of the code: data and error correction. */
function bytesOf(version: number): number {
  const bytes = knownBytes.get(version) ?? Math.floor(new Grid(version).countFreeModules() / 8);
  knownBytes.set(version, bytes);
  return bytes;
}

function rulesOf(version: number) {
  const [perBlock, blocks, alignment] = VERSIONS[version - 1] ?? [0, 0, []];
  return { perBlock, blocks, alignment };
}

function dataBytesOf(version: number): number {
  const { perBlock, blocks } = rulesOf(version);
  return bytesOf(version) - perBlock * blocks;
}

/** The bits of the length. */
function lengthBits(version: number): number {
  return version < 10 ? 8 : 16;
}

function capacityOf(version: number): number {
  return Math.floor((dataBytesOf(version) * 8 - 4 - lengthBits(version)) / 8);
}

/** The mode, the length, the bytes, the end, and padding. */
function toDataBytes(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, count: number): void => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const total = dataBytesOf(version);
  push(0, Math.min(4, total * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  const data: number[] = [];
  for (let start = 0; start < bits.length; start += 8) {
    data.push(bits.slice(start, start + 8).reduce((byte, bit) => byte * 2 + bit, 0));
  }
  for (let pad = 0xec; data.length < total; pad = pad === 0xec ? 0x11 : 0xec) data.push(pad);
  return data;
}

/** Splits the data into blocks, the longer ones last, and interleaves them with their error correction. */
function withErrorCorrection(data: readonly number[], version: number): number[] {
  const { perBlock, blocks } = rulesOf(version);
  const short = Math.floor(data.length / blocks);
  const longer = data.length % blocks;
  const parts: number[][] = [];
  for (let start = 0, index = 0; index < blocks; index++) {
    const length = short + (index >= blocks - longer ? 1 : 0);
    parts.push(data.slice(start, start + length));
    start += length;
  }
  const generator = generatorOf(perBlock);
  return [...interleave(parts), ...interleave(parts.map((part) => remainderOf(part, generator)))];
}

function interleave(parts: readonly (readonly number[])[]): number[] {
  const longest = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => parts.flatMap((part) => part.slice(index, index + 1))).flat();
}

/** Products in the field with 256 elements, modulo x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if ((other >> bit) & 1) product ^= one;
  }
  return product;
}

/** The product of (x - 2^i), without the first coefficient, which is 1. */
function generatorOf(degree: number): number[] {
  let generator = [1];
  for (let root = 1, count = 0; count < degree; count++, root = multiply(root, 2)) {
    const shifted = [...generator, 0];
    generator = shifted.map((coefficient, index) => coefficient ^ multiply(generator[index - 1] ?? 0, root));
  }
  return generator.slice(1);
}

function remainderOf(data: readonly number[], generator: readonly number[]): number[] {
  let remainder = generator.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (remainder[0] ?? 0);
    remainder = [...remainder.slice(1), 0].map((value, index) => value ^ multiply(generator[index] ?? 0, factor));
  }
  return remainder;
}

const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

function bestMask(grid: Grid): readonly (readonly boolean[])[] {
  const masked = MASKS.map((_, mask) => grid.withMask(mask));
  const penalties = masked.map(penaltyOf);
  return masked[penalties.indexOf(Math.min(...penalties))] ?? [];
}

/** Appends the remainder of a division by a polynomial, for the bits that say the format and the version. */
function withCheckBits(value: number, polynomial: number, bits: number): number {
  let rest = value << bits;
  for (let bit = 31 - Math.clz32(rest); bit >= bits; bit = 31 - Math.clz32(rest)) {
    rest ^= polynomial << (bit - bits);
    if (rest === 0) break;
  }
  return (value << bits) | rest;
}

class Grid {
  readonly #version: number;
  readonly #size: number;
  readonly #dark: boolean[][];
  /** Modules that carry no data, and are not masked. */
  readonly #fixed: boolean[][];

  constructor(version: number) {
    this.#version = version;
    this.#size = sizeOf(version);
    const empty = () => Array.from({ length: this.#size }, () => Array<boolean>(this.#size).fill(false));
    this.#dark = empty();
    this.#fixed = empty();
  }

  countFreeModules(): number {
    this.drawFunctionPatterns();
    return this.#fixed.flat().filter((fixed) => !fixed).length;
  }

  #set(row: number, column: number, dark: boolean): void {
    const [darkRow, fixedRow] = [this.#dark[row], this.#fixed[row]];
    if (!darkRow || !fixedRow || column < 0 || column >= this.#size) return;
    darkRow[column] = dark;
    fixedRow[column] = true;
  }

  drawFunctionPatterns(): void {
    for (let at = 0; at < this.#size; at++) {
      this.#set(6, at, at % 2 === 0);
      this.#set(at, 6, at % 2 === 0);
    }
    const end = this.#size - 4;
    for (const [row, column] of [
      [3, 3],
      [3, end],
      [end, 3],
    ] as const) {
      this.#drawRings(row, column, 4, (distance) => distance !== 2 && distance !== 4);
    }
    const { alignment } = rulesOf(this.#version);
    const last = alignment.at(-1);
    for (const row of alignment) {
      for (const column of alignment) {
        const isCorner =
          (row === 6 && column === 6) || (row === 6 && column === last) || (row === last && column === 6);
        if (!isCorner) this.#drawRings(row, column, 2, (distance) => distance !== 1);
      }
    }
    this.#drawFormat(0); // reserves the place
    this.#drawVersion();
  }

  #drawRings(row: number, column: number, radius: number, isDark: (distance: number) => boolean): void {
    for (let down = -radius; down <= radius; down++) {
      for (let right = -radius; right <= radius; right++) {
        this.#set(row + down, column + right, isDark(Math.max(Math.abs(down), Math.abs(right))));
      }
    }
  }

  /** Twice: around the first corner, and at the other two. Error correction M has the bits 00. */
  #drawFormat(mask: number): void {
    const format = withCheckBits(mask, 0b101_0011_0111, 10) ^ 0b101_0100_0001_0010;
    const size = this.#size;
    for (let bit = 0; bit < 15; bit++) {
      const dark = ((format >> bit) & 1) === 1;
      // Up the column to the left of the first corner, then left along the row below it. Both skip the timing patterns.
      const [row, column] = bit < 8 ? [bit + (bit > 5 ? 1 : 0), 8] : [8, bit === 8 ? 7 : 14 - bit];
      this.#set(row, column, dark);
      if (bit < 8) this.#set(8, size - 1 - bit, dark);
      else this.#set(size - 15 + bit, 8, dark);
    }
    this.#set(size - 8, 8, true);
  }

  #drawVersion(): void {
    if (this.#version < 7) return;
    const bits = withCheckBits(this.#version, 0b1_1111_0010_0101, 12);
    for (let bit = 0; bit < 18; bit++) {
      const dark = ((bits >> bit) & 1) === 1;
      const [far, near] = [this.#size - 11 + (bit % 3), Math.floor(bit / 3)];
      this.#set(near, far, dark);
      this.#set(far, near, dark);
    }
  }

  /** Two columns at a time from the right, alternately upwards and downwards, without the column of the timing pattern. */
  drawBytes(bytes: readonly number[]): void {
    let bit = 0;
    let upwards = true;
    for (let right = this.#size - 1; right > 0; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.#size; step++) {
        const row = upwards ? this.#size - 1 - step : step;
        for (const column of [right, right - 1]) {
          const darkRow = this.#dark[row];
          if (!darkRow || this.#fixed[row]?.[column]) continue;
          darkRow[column] = (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
          bit++;
        }
      }
      upwards = !upwards;
    }
  }

  withMask(mask: number): boolean[][] {
    this.#drawFormat(mask);
    const inverts = MASKS[mask];
    return this.#dark.map((cells, row) =>
      cells.map((dark, column) => dark !== (!this.#fixed[row]?.[column] && inverts?.(row, column) === true)),
    );
  }
}

/** How hard a code is to read: runs, blocks, shapes like corners, and an uneven share of dark modules. */
function penaltyOf(modules: readonly (readonly boolean[])[]): number {
  const size = modules.length;
  const columns = modules.map((_, column) => modules.map((row) => row[column] ?? false));
  let penalty = 0;
  for (const line of [...modules, ...columns]) {
    const text = line.map((dark) => (dark ? '1' : '0')).join('');
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
    penalty += 40 * [...text.matchAll(/(?=10111010000|00001011101)/g)].length;
  }
  for (let row = 0; row + 1 < size; row++) {
    for (let column = 0; column + 1 < size; column++) {
      const [above, below] = [modules[row], modules[row + 1]];
      const first = above?.[column];
      if (first === above?.[column + 1] && first === below?.[column] && first === below?.[column + 1]) penalty += 3;
    }
  }
  const share = (modules.flat().filter(Boolean).length * 100) / (size * size);
  return penalty + 10 * Math.floor(Math.abs(share - 50) / 5);
}
