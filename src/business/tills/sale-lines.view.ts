/** The lines of a sale as a register sends them, and an open sale in the same form, so that it can be taken up again. */
import { toMoney, WireAmount } from '../../api/money.js';
import { RateText } from '../../api/rates.js';
import { about, Bool, choice, optional, present, type Static, Type, text } from '../../api/wire.js';
import { printQuantity, printRate } from '../../base/decimal.js';
import type { Amount } from '../../base/money.js';
import {
  type DiscountInput,
  ITEM_KINDS,
  type ItemInput,
  MAX_LINES,
  MAX_RECEIPT_ITEMS,
  type ReceiptInput,
  SURCHARGE_KINDS,
  type SurchargeInput,
  TAX_INCLUSIONS,
  type TaxInput,
} from '../receipts/model.js';

/** An exact decimal as text, with up to five decimal places. `requireQuantity` refuses zero. */
const QuantityText = Type.String({ pattern: '^\\d{1,9}(?:\\.\\d{1,5})?$', examples: ['1.5'] });
const name = about('What receipts call it.', text(255, { minLength: 1 }));
const id = (what: string) =>
  about(`The id of the ${what} in the catalogue. Default: an id that is derived from the name.`, optional(text(64)));

export const Tax = Type.Object({
  name,
  fee_id: id('tax'),
  rate: about('The rate of the tax, for example `0.085`.', RateText),
  inclusion_type: about(
    'Whether prices contain the tax, or it is added, which is the default.',
    optional(choice(TAX_INCLUSIONS)),
  ),
});

/** A line must have exactly one of the two, which `toRateOrAmount` checks. */
const measure = {
  rate: about('The share of the price, for example `0.1`. Either this or `amount_money`.', optional(RateText)),
  amount_money: about('The amount. Either this or `rate`.', optional(WireAmount)),
};
export const Discount = Type.Object({
  name,
  discount_id: id('discount'),
  restricted: about('Whether giving it requires REGISTER_APPLY_RESTRICTED_DISCOUNTS.', optional(Bool)),
  ...measure,
});
export const Surcharge = Type.Object({
  name,
  surcharge_id: id('surcharge'),
  type: about('What kind of surcharge it is.', optional(choice(SURCHARGE_KINDS))),
  ...measure,
});

const lines = <Line extends Parameters<typeof Type.Array>[0]>(description: string, line: Line) =>
  about(description, optional(Type.Array(line, { maxItems: MAX_LINES })));

export const Itemization = Type.Object({
  name,
  quantity: about('How much is sold, for example `1.5`. Default: 1.', optional(QuantityText)),
  single_quantity_money: about('The price of one, without modifiers.', WireAmount),
  itemization_type: about(
    'Whether it is an item, an amount that was typed, or something else.',
    optional(choice(ITEM_KINDS)),
  ),
  item_variation_name: about('The name of the size or kind.', optional(text())),
  notes: about('A note about the line.', optional(text(500))),
  item_detail: about(
    'What the catalogue says about it.',
    optional(
      Type.Object({
        category_name: about('The name of the category.', optional(text())),
        sku: about('The stock keeping unit.', optional(text())),
        item_id: id('item'),
        item_variation_id: id('variation'),
      }),
    ),
  ),
  modifiers: lines(
    'What was added to each piece.',
    Type.Object({
      name,
      modifier_option_id: id('option'),
      price_money: about('What it adds to the price of one.', WireAmount),
    }),
  ),
  discounts: lines('What is taken off this line.', Discount),
  taxes: lines('The taxes on this line.', Tax),
});

/** What is sold. */
export const SALE_LINES = {
  itemizations: about('What is sold.', Type.Array(Itemization, { minItems: 1, maxItems: MAX_RECEIPT_ITEMS })),
  discounts: lines('What is taken off the whole sale.', Discount),
  taxes: lines('The taxes on the whole sale.', Tax),
  surcharges: lines('What is added to the whole sale.', Surcharge),
};

export function toSaleLines(lines: ReceiptInput, currency: string) {
  return {
    itemizations: lines.items.map((item) => toItemization(item, currency)),
    discounts: lines.discounts.map((line) => toDiscount(line, currency)),
    taxes: lines.taxes.map(toTax),
    surcharges: lines.surcharges.map((line) => toSurcharge(line, currency)),
  };
}

function toItemization(item: ItemInput, currency: string): Static<typeof Itemization> {
  const { detail } = item;
  return {
    name: item.name,
    quantity: printQuantity(item.quantity),
    single_quantity_money: toMoney(item.price, currency),
    itemization_type: item.kind,
    ...present({ item_variation_name: item.variationName, notes: item.notes }),
    ...(detail && {
      item_detail: present({
        category_name: detail.categoryName,
        sku: detail.sku,
        item_id: detail.itemId,
        item_variation_id: detail.itemVariationId,
      }),
    }),
    modifiers: item.modifiers.map(({ name, optionId, price }) => ({
      name,
      ...present({ modifier_option_id: optionId }),
      price_money: toMoney(price, currency),
    })),
    discounts: item.discounts.map((line) => toDiscount(line, currency)),
    taxes: item.taxes.map(toTax),
  };
}

function toMeasure(line: DiscountInput | SurchargeInput, currency: string) {
  return 'rate' in line ? { rate: printRate(line.rate) } : { amount_money: toMoney(line.amount as Amount, currency) };
}

function toDiscount(line: DiscountInput, currency: string): Static<typeof Discount> {
  const { name, id, restricted } = line;
  return { name, ...present({ discount_id: id }), restricted, ...toMeasure(line, currency) };
}

function toTax({ name, id, rate, inclusion }: TaxInput): Static<typeof Tax> {
  return { name, ...present({ fee_id: id }), rate: printRate(rate), inclusion_type: inclusion };
}

function toSurcharge(line: SurchargeInput, currency: string): Static<typeof Surcharge> {
  const { name, id, kind } = line;
  return { name, ...present({ surcharge_id: id }), type: kind, ...toMeasure(line, currency) };
}
