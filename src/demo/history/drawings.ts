/** Small pictures of what a generated business sells, drawn from ellipses and rectangles, as PNG. Pure. */
import { deflateSync } from 'node:zlib';

type Colour = readonly [number, number, number];

/** In a square from 0 to 100. `turn` is in degrees. */
interface Shape {
  readonly kind: 'ellipse' | 'box';
  readonly at: readonly [number, number];
  /** Half of the width and of the height. */
  readonly size: readonly [number, number];
  readonly colour: Colour;
  readonly turn?: number;
}

const SIDE = 128;
/** Each pixel is the mean of four points. */
const POINTS = 2;

const WHITE: Colour = [252, 251, 248];
const CREAM: Colour = [242, 226, 196];
const CRUST: Colour = [150, 96, 52];
const COFFEE: Colour = [92, 58, 36];
const GREEN: Colour = [104, 158, 88];
const YOLK: Colour = [246, 186, 58];
const BEET: Colour = [170, 48, 84];
const LEMONADE: Colour = [247, 222, 130];
const STEEL: Colour = [120, 132, 138];
const BACKGROUNDS: readonly Colour[] = [
  [220, 240, 230],
  [250, 236, 214],
  [224, 232, 244],
  [246, 226, 222],
  [236, 232, 244],
];

const ellipse = (at: Shape['at'], size: Shape['size'], colour: Colour, turn = 0): Shape => ({
  ...{ kind: 'ellipse', at, size, colour, turn },
});
const box = (at: Shape['at'], size: Shape['size'], colour: Colour, turn = 0): Shape => ({
  ...{ kind: 'box', at, size, colour, turn },
});
const plate = (colour: Colour = WHITE): readonly Shape[] => [
  ellipse([50, 52], [38, 38], colour),
  ellipse([50, 52], [29, 29], [238, 236, 230]),
];

/** What a category, or one of its items, looks like. The colour is that of the item. */
const DRAWINGS: Readonly<Record<string, (colour: Colour) => readonly Shape[]>> = {
  Coffee: () => [
    ...plate(),
    ellipse([74, 50], [12, 7], WHITE),
    ellipse([50, 50], [24, 24], WHITE),
    ellipse([50, 50], [20, 20], COFFEE),
    ellipse([48, 47], [11, 11], CREAM),
    ellipse([48, 52], [5, 8], COFFEE, 30),
  ],
  Breakfast: (colour) => [
    ...plate(),
    box([47, 52], [20, 17], CRUST, -8),
    box([47, 52], [17, 14], CREAM, -8),
    ellipse([50, 52], [12, 10], WHITE),
    ellipse([51, 52], [5, 5], YOLK),
    ellipse([68, 40], [5, 5], colour),
  ],
  Lunch: (colour) => [
    ...plate(),
    ellipse([42, 46], [13, 10], GREEN, 20),
    ellipse([58, 48], [12, 9], [136, 180, 96], -30),
    ellipse([48, 62], [11, 8], colour),
    ellipse([60, 62], [6, 6], BEET),
    ellipse([40, 58], [4, 4], YOLK),
  ],
  Drinks: () => [
    box([50, 54], [16, 28], WHITE),
    box([50, 60], [13, 20], LEMONADE),
    box([58, 32], [1.6, 24], STEEL, 14),
    ellipse([62, 30], [9, 9], YOLK),
    ellipse([46, 56], [5, 5], WHITE),
  ],
  Bar: (colour) => [
    ellipse([50, 36], [22, 16], WHITE),
    ellipse([50, 37], [18, 12], colour),
    box([50, 64], [2, 18], WHITE),
    ellipse([50, 83], [14, 4], WHITE),
    ellipse([58, 33], [4, 4], GREEN),
  ],
  'Coffee beans': (colour) => [
    box([50, 54], [22, 32], colour),
    box([50, 25], [22, 4], COFFEE),
    box([50, 58], [15, 15], CREAM),
    ellipse([50, 58], [7, 10], COFFEE, 25),
    ellipse([50, 58], [1.4, 9], CREAM, 25),
  ],
  Pantry: (colour) => [
    box([50, 56], [20, 28], WHITE),
    box([50, 60], [17, 22], colour),
    box([50, 26], [17, 5], CRUST),
    box([50, 60], [17, 8], CREAM),
    ellipse([50, 60], [4, 4], GREEN),
  ],
  'Linen apron': (colour) => [
    box([40, 24], [1.4, 14], STEEL, 20),
    box([60, 24], [1.4, 14], STEEL, -20),
    box([50, 44], [14, 14], colour),
    box([50, 68], [24, 18], colour),
    box([50, 66], [11, 8], WHITE),
    box([50, 67], [9, 7], colour),
  ],
  'Gift box': (colour) => [
    box([50, 62], [26, 22], colour),
    box([50, 38], [29, 6], colour),
    box([50, 58], [4, 26], WHITE),
    ellipse([42, 26], [9, 5], WHITE, 25),
    ellipse([58, 26], [9, 5], WHITE, -25),
  ],
  Goods: (colour) => [
    ellipse([70, 54], [14, 14], colour),
    ellipse([70, 54], [8, 8], WHITE),
    box([48, 54], [20, 24], colour),
    ellipse([48, 30], [20, 5], WHITE),
    box([48, 62], [20, 2], WHITE),
  ],
};

/** A picture of an item. The same name gives the same bytes. Undefined for a category without a drawing. */
export function drawItem(name: string, category: string): Buffer | undefined {
  const drawing = DRAWINGS[name] ?? DRAWINGS[category];
  if (!drawing) return undefined;
  const number = [...name].reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) ?? 0), 7) % 9973;
  const background = BACKGROUNDS[number % BACKGROUNDS.length] ?? WHITE;
  return toPng(paint(drawing(toColour((number * 47) % 360)), background));
}

/** A quiet colour of a hue. */
function toColour(hue: number): Colour {
  const part = (offset: number): number => {
    const at = (((hue + offset) % 360) + 360) % 360;
    return Math.round(110 + 90 * Math.max(0, Math.min(1, Math.abs(at - 180) / 60 - 1)));
  };
  return [part(0), part(-120), part(120)];
}

/** Paints shape after shape into points, row by row, and then takes the mean of the points of each pixel. */
function paint(shapes: readonly Shape[], background: Colour): Uint8Array {
  const side = SIDE * POINTS;
  const unit = 100 / side;
  const points = new Uint8Array(side * side); // the number of the topmost shape, or 0
  for (const [index, shape] of shapes.entries()) {
    const isInside = createTest(shape);
    const [x, y] = shape.at;
    const reach = Math.hypot(...shape.size);
    const firstOf = (centre: number): number => Math.max(0, Math.floor((centre - reach) / unit));
    const lastOf = (centre: number): number => Math.min(side - 1, Math.ceil((centre + reach) / unit));
    const bottom = lastOf(y);
    for (let row = firstOf(y); row <= bottom; row++) {
      const dy = (row + 0.5) * unit - y;
      // All shapes are convex, so only the ends of the row are searched.
      let [first, last] = [firstOf(x), lastOf(x)];
      while (first <= last && !isInside((first + 0.5) * unit - x, dy)) first++;
      while (first <= last && !isInside((last + 0.5) * unit - x, dy)) last--;
      points.fill(index + 1, row * side + first, row * side + last + 1);
    }
  }
  return average(points, [background, ...shapes.map(({ colour }) => colour)]);
}

/** Whether a point is inside of a shape. Its place is relative to the centre of the shape. */
function createTest({ kind, size, turn = 0 }: Shape): (dx: number, dy: number) => boolean {
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const [width, height] = size;
  return (dx, dy) => {
    const u = (dx * cos + dy * sin) / width;
    const v = (dy * cos - dx * sin) / height;
    return kind === 'box' ? Math.abs(u) <= 1 && Math.abs(v) <= 1 : u * u + v * v <= 1;
  };
}

function average(points: Uint8Array, colours: readonly Colour[]): Uint8Array {
  const pixels = new Uint8Array(SIDE * SIDE * 3);
  const side = SIDE * POINTS;
  const parts = Uint16Array.from(colours.flat());
  const partOf = (point: number, part: number): number => parts[(points[point] as number) * 3 + part] as number;
  let next = 0;
  for (let row = 0; row < SIDE; row++) {
    for (let column = 0; column < SIDE; column++) {
      const at = (row * side + column) * POINTS;
      for (let part = 0; part < 3; part++) {
        const sum = partOf(at, part) + partOf(at + 1, part) + partOf(at + side, part) + partOf(at + side + 1, part);
        pixels[next++] = sum / 4;
      }
    }
  }
  return pixels;
}

/** Truecolour without transparency. Each row begins with its filter: none. */
function toPng(pixels: Uint8Array): Buffer {
  const rows = Buffer.alloc(SIDE * (SIDE * 3 + 1));
  for (let row = 0; row < SIDE; row++) {
    rows.set(pixels.subarray(row * SIDE * 3, (row + 1) * SIDE * 3), row * (SIDE * 3 + 1) + 1);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set([8, 2], 8); // eight bits for each of three colours
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [toChunk('IHDR', header), toChunk('IDAT', deflateSync(rows)), toChunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...chunks]);
}

function toChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(named.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  chunk.set(named, 4);
  chunk.writeUInt32BE(checksum(named), named.length + 4);
  return chunk;
}

/** CRC-32. */
function checksum(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
