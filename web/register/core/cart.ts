/** The cart: what is being sold. Pure: every function returns a new cart. */
import { type Amount, amount } from '../../../src/base/money.js';
import type { Catalogue } from './catalogue.js';
import type { WireItem, WireSignature, WireVariation } from './wire.js';

export interface CartModifier {
  readonly id?: string;
  readonly name: string;
  readonly price: Amount;
}

/** Either a rate or an amount. */
export interface CartDiscount {
  readonly id?: string;
  readonly name: string;
  readonly rate?: string;
  readonly amount?: Amount;
  readonly restricted: boolean;
}

export interface CartTax {
  readonly id?: string;
  readonly name: string;
  readonly rate: string;
  readonly inclusion: 'ADDITIVE' | 'INCLUSIVE';
}

export interface CartLine {
  /** Identifies the line in this cart. */
  readonly key: string;
  readonly kind: 'ITEM' | 'CUSTOM_AMOUNT';
  readonly itemId?: string;
  readonly variationId?: string;
  readonly name: string;
  readonly variationName?: string;
  readonly categoryName?: string;
  readonly sku?: string;
  /** For a quantity of one, without modifiers. */
  readonly price: Amount;
  /** An exact decimal, such as "1.5". */
  readonly quantity: string;
  readonly modifiers: readonly CartModifier[];
  readonly discounts: readonly CartDiscount[];
  readonly taxes: readonly CartTax[];
  readonly note?: string;
}

/** A tender of an earlier sale, and the part of the returned value that it paid. */
export interface ReturnSource {
  readonly isCash: boolean;
  readonly amount: Amount;
}

/** Goods of an earlier sale that come back, and pay for this one: some items of it, or an amount. */
export interface CartReturn {
  readonly paymentId: string;
  readonly amount: Amount;
  readonly reason: string;
  readonly items?: readonly { readonly line: number; readonly quantity: string }[];
  /** The part of the amount that goes back as money, because the new goods cost less. */
  readonly refunded?: Amount;
  /** In the order in which the server takes them. Only the drawer of this device needs them. */
  readonly sources?: readonly ReturnSource[];
  /** For the screen. */
  readonly name?: string;
}

export interface CartApproval {
  readonly id: string;
  readonly employeeId: string;
  readonly amount: Amount;
  /** If it was given without the network. */
  readonly signature?: WireSignature;
}

export interface Cart {
  /** The register's own id of the sale. Charging a cart twice is one sale. */
  readonly id: string;
  /** The server's id of an open sale that was taken up again. */
  readonly saleId?: string;
  /** The version of the open sale when it was taken up. */
  readonly version?: string;
  /** The content of the open sale when it was taken up, as text: it has to be saved only if it has changed. */
  readonly takenUp?: string;
  /** What has been paid of the open sale. */
  readonly paid?: Amount;
  /** The cash among it, with tips: it goes back if the sale is canceled. */
  readonly paidCash?: Amount;
  readonly label?: string;
  /** What somebody else has allowed its discounts and lower prices to take off. */
  readonly approval?: CartApproval;
  readonly lines: readonly CartLine[];
  readonly discounts: readonly CartDiscount[];
  readonly returns: readonly CartReturn[];
}

export interface Choice {
  readonly item: WireItem;
  readonly variation: WireVariation;
  /** Default: the price of the variation. */
  readonly price?: Amount;
  readonly modifiers?: readonly CartModifier[];
  readonly quantity?: string;
  readonly note?: string;
}

export function emptyCart(): Cart {
  // Without https browsers have no `randomUUID`. The page must start nevertheless, to say that it needs https.
  return { id: crypto.randomUUID?.() ?? '', lines: [], discounts: [], returns: [] };
}

/** What an edit of an open sale can change, as text. */
export function contentOf({ label, lines, discounts }: Cart): string {
  return JSON.stringify([label ?? null, lines, discounts]);
}

export function isEmpty({ lines, returns }: Cart): boolean {
  return lines.length === 0 && returns.length === 0;
}

/** With the taxes that the catalogue has for the item. The same choice again adds to the quantity of its line. */
export function addItem(
  cart: Cart,
  { item, variation, price, modifiers = [], quantity = '1', note }: Choice,
  catalogue: Pick<Catalogue, 'categories' | 'taxes'>,
): Cart {
  const category = catalogue.categories.find(({ id }) => id === item.category_id);
  return addLine(cart, {
    key: crypto.randomUUID(),
    kind: 'ITEM',
    itemId: item.id,
    variationId: variation.id,
    name: item.name,
    ...(item.variations.length > 1 && { variationName: variation.name }),
    ...(category && { categoryName: category.name }),
    ...(variation.sku !== undefined && { sku: variation.sku }),
    price: price ?? amount(variation.price_money.amount),
    quantity,
    modifiers,
    discounts: [],
    taxes: catalogue.taxes
      .filter(({ id }) => item.tax_ids.includes(id))
      .map(({ id, name, rate, inclusion_type }) => ({ id, name, rate, inclusion: inclusion_type })),
    ...(note !== undefined && { note }),
  });
}

export function addCustomAmount(
  cart: Cart,
  { name, amount: price, taxes = [] }: { name: string; amount: Amount; taxes?: readonly CartTax[] },
): Cart {
  const line = { key: crypto.randomUUID(), kind: 'CUSTOM_AMOUNT', name, price, taxes } as const;
  return { ...cart, lines: [...cart.lines, { ...line, quantity: '1', modifiers: [], discounts: [] }] };
}

function addLine(cart: Cart, line: CartLine): Cart {
  const same = cart.lines.find((each) => sameness(each) === sameness(line));
  if (!same) return { ...cart, lines: [...cart.lines, line] };
  return setQuantity(cart, same.key, addDecimals(same.quantity, line.quantity));
}

/** The same for two lines that differ only in their quantity. */
function sameness({ key: _, quantity: __, ...rest }: CartLine): string {
  const sorted = Object.entries(rest).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(sorted);
}

/** "0" removes the line. */
export function setQuantity(cart: Cart, key: string, quantity: string): Cart {
  return Number(quantity) === 0 ? removeLine(cart, key) : editLine(cart, key, { quantity });
}

export function setNote(cart: Cart, key: string, note: string): Cart {
  return {
    ...cart,
    lines: cart.lines.map((line) => {
      if (line.key !== key) return line;
      const { note: _, ...rest } = line;
      return note === '' ? rest : { ...rest, note };
    }),
  };
}

export function editLine(cart: Cart, key: string, change: Partial<Omit<CartLine, 'key'>>): Cart {
  return { ...cart, lines: cart.lines.map((line) => (line.key === key ? { ...line, ...change } : line)) };
}

export function removeLine(cart: Cart, key: string): Cart {
  return { ...cart, lines: cart.lines.filter((line) => line.key !== key) };
}

/** Such as "Table 4". */
export function setLabel(cart: Cart, label: string): Cart {
  const { label: _, ...rest } = cart;
  return label === '' ? rest : { ...rest, label };
}

/** Gives a discount on a line, or on the whole sale if there is no key. */
export function addDiscount(cart: Cart, discount: CartDiscount, key?: string): Cart {
  return changeDiscounts(cart, (discounts) => [...discounts, discount], key);
}

export function removeDiscount(cart: Cart, index: number, key?: string): Cart {
  return changeDiscounts(cart, (discounts) => discounts.filter((_, at) => at !== index), key);
}

function changeDiscounts(
  cart: Cart,
  change: (discounts: readonly CartDiscount[]) => readonly CartDiscount[],
  key: string | undefined,
): Cart {
  if (key === undefined) return { ...cart, discounts: change(cart.discounts) };
  const lines = cart.lines.map((line) => (line.key === key ? { ...line, discounts: change(line.discounts) } : line));
  return { ...cart, lines };
}

export function addReturn(cart: Cart, returned: CartReturn): Cart {
  return { ...cart, returns: [...cart.returns, returned] };
}

export function removeReturn(cart: Cart, index: number): Cart {
  return { ...cart, returns: cart.returns.filter((_, at) => at !== index) };
}

const QUANTITY_DIGITS = 5;

/** Exact, unlike the sum of two floating-point numbers. */
function addDecimals(one: string, other: string): string {
  return fromSteps(toSteps(one) + toSteps(other));
}

/** Undefined if nothing is left. */
export function subtractDecimals(one: string, other: string): string | undefined {
  const left = toSteps(one) - toSteps(other);
  return left > 0n ? fromSteps(left) : undefined;
}

function toSteps(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, QUANTITY_DIGITS).padEnd(QUANTITY_DIGITS, '0'));
}

function fromSteps(steps: bigint): string {
  const digits = String(steps).padStart(QUANTITY_DIGITS + 1, '0');
  const fraction = digits.slice(-QUANTITY_DIGITS).replace(/0+$/, '');
  const whole = digits.slice(0, -QUANTITY_DIGITS);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
