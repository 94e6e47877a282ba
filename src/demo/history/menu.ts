/** The menu of a generated business, and random orders from it. Its ids are those of the catalogue (`catalogue.ts`). */
import { parseRate, QUANTITY_OF_ONE, type Quantity, RATE_OF_ONE, type Rate } from '../../base/decimal.js';
import { amount } from '../../base/money.js';
import type { DiscountInput, ItemInput, ModifierInput, ReceiptInput, TaxInput } from '../../business/receipts/model.js';
import { ONLY_VARIATION } from '../../business/receipts/model.js';
import type { SeededRandom } from './seeded-random.js';

/** Dishes and discounts depend on the part of the day. */
export const PARTS_OF_DAY = ['MORNING', 'MIDDAY', 'EVENING'] as const;

export type PartOfDay = (typeof PARTS_OF_DAY)[number];

export function partOfDay(hour: number): PartOfDay {
  if (hour < 11) return 'MORNING';
  return hour < 15 ? 'MIDDAY' : 'EVENING';
}

/** Categories that are not ordered before eleven. */
const NOT_IN_THE_MORNING: readonly string[] = ['Lunch', 'Bar'];

export interface MenuVariation {
  readonly name: string;
  readonly sku: string;
  /** In minor units. */
  readonly price: number;
}

/** What is on a menu or a shelf. */
export interface MenuItem {
  readonly name: string;
  readonly category: string;
  readonly description: string | null;
  readonly variations: readonly MenuVariation[];
}

/** One price, or a price for each variation. */
type Prices = number | Readonly<Record<string, number>>;

export function menuItem(name: string, category: string, prices: Prices, description: string | null = null): MenuItem {
  const named = typeof prices === 'number' ? { [ONLY_VARIATION]: prices } : prices;
  const code = toCode(name);
  const variations = Object.entries(named).map(([variation, price]) => ({
    name: variation,
    sku: typeof prices === 'number' ? code : `${code}-${toCode(variation)}`,
    price,
  }));
  return { name, category, description, variations };
}

function toCode(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '-');
}

export const DISHES: readonly MenuItem[] = [
  menuItem('Flat white', 'Coffee', { Regular: 450, Large: 525 }, 'Two ristrettos and steamed milk.'),
  menuItem('Filter coffee', 'Coffee', { Cup: 350, Pot: 650 }, 'Changes every Monday.'),
  menuItem('Cortado', 'Coffee', 425),
  menuItem('Rye toast', 'Breakfast', 650, 'With cultured butter and jam.'),
  menuItem('Eggs on rye', 'Breakfast', 1250, 'Two eggs, chives, and pickled beets.'),
  menuItem('Juniper granola', 'Breakfast', { Small: 750, Large: 950 }),
  menuItem('Buckwheat pancakes', 'Breakfast', 1350),
  menuItem('Smoked trout sandwich', 'Lunch', 1475, 'On rye, with horseradish.'),
  menuItem('Beet and barley salad', 'Lunch', 1295),
  menuItem('Mushroom rye bowl', 'Lunch', 1395),
  menuItem('Juniper lemonade', 'Drinks', { Glass: 525, Carafe: 1450 }),
  menuItem('Gin and tonic', 'Bar', 1150),
  menuItem('Rye sour', 'Bar', 1300),
];

/** Included in the prices of the bar. */
export const SPIRITS_TAX: TaxInput = { name: 'Spirits tax', rate: rate('0.05'), inclusion: 'INCLUSIVE' };

export const BAR = 'Bar';

export interface MenuModifiers {
  readonly name: string;
  readonly most: number;
  readonly options: readonly ModifierInput[];
}

/** By category: the modifiers of its items. */
export const MODIFIERS: Readonly<Record<string, MenuModifiers>> = {
  Coffee: {
    name: 'Coffee extras',
    most: 3,
    options: [
      { name: 'Oat milk', price: amount(75) },
      { name: 'Extra shot', price: amount(100) },
      { name: 'Vanilla', price: amount(60) },
    ],
  },
  Breakfast: {
    name: 'On the side',
    most: 2,
    options: [
      { name: 'Soft egg', price: amount(250) },
      { name: 'Smoked trout', price: amount(450) },
    ],
  },
};

const MORNING_DISHES = DISHES.filter(({ category }) => !NOT_IN_THE_MORNING.includes(category));

const DAY_DISCOUNTS: readonly DiscountInput[] = [
  { name: 'Neighbours', rate: rate('0.1'), restricted: false },
  { name: 'Staff meal', rate: rate('0.5'), restricted: true },
];

export const DISCOUNTS: readonly DiscountInput[] = [
  ...DAY_DISCOUNTS,
  { name: 'Happy hour', amount: amount(200), restricted: false },
];

/** Only for literals of this code, so `text` is always valid. */
export function rate(text: string): Rate {
  return parseRate(text) ?? RATE_OF_ONE;
}

export function salesTax(name: string, percent: string): TaxInput {
  return { name, rate: rate(percent), inclusion: 'ADDITIVE' };
}

function generateItem(random: SeededRandom, part: PartOfDay): ItemInput {
  const { name, category, variations } = random.pick(part === 'MORNING' ? MORNING_DISHES : DISHES);
  const variation = random.pick(variations);
  const count = random.happens(0.15) ? 2 : 1;
  const modifiers = MODIFIERS[category];
  return {
    kind: 'ITEM',
    name,
    variationName: variation.name,
    quantity: (count * QUANTITY_OF_ONE) as Quantity,
    price: amount(variation.price),
    detail: { categoryName: category, sku: variation.sku },
    modifiers: modifiers && random.happens(0.3) ? [random.pick(modifiers.options)] : [],
    discounts: [],
    taxes: category === BAR ? [SPIRITS_TAX] : [],
  };
}

/** Items per order: mostly one or two. */
const ITEM_COUNTS = [1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4];

export function generateReceiptInput(random: SeededRandom, tax: TaxInput, part: PartOfDay): ReceiptInput {
  const discounts = part === 'EVENING' ? DISCOUNTS : DAY_DISCOUNTS;
  return {
    items: Array.from({ length: random.pick(ITEM_COUNTS) }, () => generateItem(random, part)),
    discounts: random.happens(0.08) ? [random.pick(discounts)] : [],
    taxes: [tax],
    surcharges: [],
  };
}
