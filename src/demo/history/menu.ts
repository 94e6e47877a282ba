/** The menu of a generated business, and random orders from it. */
import { parseRate, QUANTITY_OF_ONE, type Quantity, RATE_OF_ONE, type Rate } from '../../base/decimal.js';
import { amount } from '../../base/money.js';
import type { DiscountInput, ItemInput, ModifierInput, ReceiptInput, TaxInput } from '../../business/receipts/model.js';
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

/** Name, price in minor units, category. */
const DISHES = [
  ['Flat white', 450, 'Coffee'],
  ['Filter coffee', 350, 'Coffee'],
  ['Cortado', 425, 'Coffee'],
  ['Rye toast', 650, 'Breakfast'],
  ['Eggs on rye', 1250, 'Breakfast'],
  ['Juniper granola', 950, 'Breakfast'],
  ['Buckwheat pancakes', 1350, 'Breakfast'],
  ['Smoked trout sandwich', 1475, 'Lunch'],
  ['Beet and barley salad', 1295, 'Lunch'],
  ['Mushroom rye bowl', 1395, 'Lunch'],
  ['Juniper lemonade', 525, 'Drinks'],
  ['Gin and tonic', 1150, 'Bar'],
  ['Rye sour', 1300, 'Bar'],
] as const;

/** Included in the prices of the bar. */
const SPIRITS_TAX: TaxInput = { name: 'Spirits tax', rate: rate('0.05'), inclusion: 'INCLUSIVE' };

const MODIFIERS: readonly ModifierInput[] = [
  { name: 'Oat milk', price: amount(75) },
  { name: 'Extra shot', price: amount(100) },
  { name: 'Soft egg', price: amount(250) },
];

const MORNING_DISHES = DISHES.filter(([, , category]) => !NOT_IN_THE_MORNING.includes(category));

const DISCOUNTS: readonly DiscountInput[] = [
  { name: 'Neighbours', rate: rate('0.1'), restricted: false },
  { name: 'Staff meal', rate: rate('0.5'), restricted: true },
];

const EVENING_DISCOUNTS: readonly DiscountInput[] = [
  ...DISCOUNTS,
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
  const [name, price, categoryName] = random.pick(part === 'MORNING' ? MORNING_DISHES : DISHES);
  const count = random.happens(0.15) ? 2 : 1;
  return {
    kind: 'ITEM',
    name,
    quantity: (count * QUANTITY_OF_ONE) as Quantity,
    price: amount(price),
    detail: { categoryName, sku: name.toUpperCase().replaceAll(' ', '-') },
    modifiers: categoryName === 'Coffee' && random.happens(0.3) ? [random.pick(MODIFIERS)] : [],
    discounts: [],
    taxes: categoryName === 'Bar' ? [SPIRITS_TAX] : [],
  };
}

/** Items per order: mostly one or two. */
const ITEM_COUNTS = [1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4];

export function generateReceiptInput(random: SeededRandom, tax: TaxInput, part: PartOfDay): ReceiptInput {
  const discounts = part === 'EVENING' ? EVENING_DISCOUNTS : DISCOUNTS;
  return {
    items: Array.from({ length: random.pick(ITEM_COUNTS) }, () => generateItem(random, part)),
    discounts: random.happens(0.08) ? [random.pick(discounts)] : [],
    taxes: [tax],
    surcharges: [],
  };
}
