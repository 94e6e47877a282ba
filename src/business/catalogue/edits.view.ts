/** What an editor of the catalogue sends, and how it is read. */
import { fromWireAmount, WireAmount } from '../../api/money.js';
import { fromRateText, RateText } from '../../api/rates.js';
import { about, Bool, choice, optional, present, type Static, Type, text, wholeNumber } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { requireLocationInBody } from '../../identity/locations.js';
import { MAX_LINES, TAX_INCLUSIONS } from '../receipts/model.js';
import {
  type Category,
  type Discount,
  type Item,
  MAX_OPTIONS,
  MAX_VARIATIONS,
  type ModifierList,
  type Tax,
} from './model.js';

const name = about('What people call it.', text(255, { minLength: 1 }));
const id = text(64, { minLength: 1 });
/** Far more locations than a merchant can have. */
const MAX_LOCATIONS = 300;

const location_ids = about(
  'The locations where it applies or is sold. Default: all, also those that are opened later.',
  optional(Type.Array(id, { minItems: 1, maxItems: MAX_LOCATIONS })),
);
const ids = optional(Type.Array(id, { maxItems: MAX_LINES }));

/** The version that the editor has seen. */
export const SEEN = {
  version: about(
    'The version that the editor saw. If there is a newer one, the edit is refused.',
    wholeNumber(1, 2_000_000_000),
  ),
};

export const CategoryBody = Type.Object({ name });

export const TaxBody = Type.Object({
  name,
  rate: about('The rate of the tax, for example `0.085`.', RateText),
  inclusion_type: about('Whether prices contain the tax, or the tax is added.', choice(TAX_INCLUSIONS)),
  location_ids,
  applies_to_all: about('Whether every item has the tax.', Bool),
});

export const ModifierListBody = Type.Object({
  name,
  min_selected: about('How many options a buyer must choose. Default: 0.', optional(wholeNumber(0, MAX_OPTIONS))),
  max_selected: about(
    'How many options a buyer may choose. Default: any number.',
    optional(wholeNumber(1, MAX_OPTIONS)),
  ),
  options: about(
    'The choices, in the order in which they are shown.',
    Type.Array(
      Type.Object({
        id: about('The id of an existing option. Absent for a new one.', optional(id)),
        name,
        price_money: about('What the option adds to the price.', WireAmount),
      }),
      {
        minItems: 1,
        maxItems: MAX_OPTIONS,
      },
    ),
  ),
});

/** Either a rate or an amount, which `fromDiscountBody` checks. */
export const DiscountBody = Type.Object({
  name,
  rate: about('The share that is taken off, for example `0.1`. Either this or `amount_money`.', optional(RateText)),
  amount_money: about('The amount that is taken off. Either this or `rate`.', optional(WireAmount)),
  restricted: about('Whether giving it requires REGISTER_APPLY_RESTRICTED_DISCOUNTS.', Bool),
});

export const ItemBody = Type.Object({
  name,
  description: about('A text for shoppers.', optional(text(1000))),
  category_id: about('The category. Absent: none.', optional(id)),
  picture_id: about('The picture. Absent: none.', optional(id)),
  location_ids,
  online: about('Whether the online stores of its locations sell it.', Bool),
  archived: about('Whether it is no longer sold. Default: false.', optional(Bool)),
  variations: about(
    'The sizes or kinds, in the order in which they are shown.',
    Type.Array(
      Type.Object({
        id: about('The id of an existing variation. Absent for a new one.', optional(id)),
        name,
        sku: about('The stock keeping unit.', optional(text())),
        price_money: about('The price before tax.', WireAmount),
        variable_price: about('Whether registers may sell it at any price. Default: false.', optional(Bool)),
        sold_by_measure: about(
          'Whether it is sold by weight or length, so that parts of one are usual. Default: false.',
          optional(Bool),
        ),
      }),
      {
        minItems: 1,
        maxItems: MAX_VARIATIONS,
      },
    ),
  ),
  modifier_list_ids: about('What buyers may add, in the order in which it is shown.', ids),
  tax_ids: about('The taxes on the item, besides those that apply to all.', ids),
});

/** The merchant, and what a new record needs. */
export interface BodyContext {
  readonly merchant: {
    readonly id: string;
    readonly currency: string;
    readonly locations: readonly { readonly id: string }[];
  };
  readonly ids: Ids;
}

/** A record that is replaced, or only the id and version of a new one. */
type Replaced = { readonly id: string; readonly version: number };

function fromLocationIds(
  { location_ids }: { readonly location_ids?: readonly string[] },
  { merchant }: BodyContext,
): readonly string[] | null {
  for (const each of location_ids ?? []) requireLocationInBody(merchant, each, 'location_ids');
  return location_ids ? [...new Set(location_ids)] : null;
}

/** Ids of parts that exist stay. New parts get a new id; an unknown id is refused. */
function toPartIds(
  parts: readonly { readonly id?: string }[],
  known: readonly { readonly id: string }[],
  { field, ids: source }: { readonly field: string; readonly ids: Ids },
): readonly string[] {
  const existing = new Set(known.map((part) => part.id));
  return parts.map((part) => {
    if (part.id === undefined) return source.newUuid();
    if (existing.delete(part.id)) return part.id;
    throw new Refusal('INVALID_VALUE', {
      field: `${field}.id`,
      detail: `The id ${part.id} does not exist in this record, or is sent twice.`,
    });
  });
}

export function fromCategoryBody(body: Static<typeof CategoryBody>, { id, version }: Replaced): Category {
  return { id, name: body.name, version };
}

export function fromTaxBody(body: Static<typeof TaxBody>, { id, version }: Replaced, context: BodyContext): Tax {
  return {
    id,
    version,
    name: body.name,
    rate: fromRateText(body.rate),
    inclusion: body.inclusion_type,
    locationIds: fromLocationIds(body, context),
    appliesToAll: body.applies_to_all,
  };
}

export function fromModifierListBody(
  body: Static<typeof ModifierListBody>,
  { id, version, options = [] }: Replaced & Partial<Pick<ModifierList, 'options'>>,
  { merchant: { currency }, ids }: BodyContext,
): ModifierList {
  const [least, most] = [body.min_selected ?? 0, body.max_selected ?? null];
  if (least > (most ?? body.options.length)) {
    const detail = 'min_selected must not be more than max_selected, or than there are options.';
    throw new Refusal('INVALID_VALUE', { field: 'min_selected', detail });
  }
  const optionIds = toPartIds(body.options, options, { field: 'options', ids });
  return {
    id,
    version,
    name: body.name,
    least,
    most,
    options: body.options.map((option, index) => ({
      id: optionIds[index] ?? '',
      name: option.name,
      price: fromWireAmount(option.price_money, { currency, field: 'options.price_money', least: 0 }),
    })),
  };
}

export function fromDiscountBody(
  body: Static<typeof DiscountBody>,
  { id, version }: Replaced,
  { merchant: { currency } }: BodyContext,
): Discount {
  const { rate, amount_money: money } = body;
  if ((rate === undefined) === (money === undefined)) {
    const detail = 'A discount requires either rate or amount_money.';
    throw new Refusal('CONFLICTING_PARAMETERS', { field: 'rate', detail });
  }
  return {
    id,
    version,
    name: body.name,
    rate: rate === undefined ? null : fromRateText(rate),
    amount: money === undefined ? null : fromWireAmount(money, { currency, field: 'amount_money', least: 0 }),
    restricted: body.restricted,
  };
}

type NewItem = Pick<Item, 'id' | 'version' | 'createdAt' | 'updatedAt'> & Partial<Pick<Item, 'variations'>>;

export function fromItemBody(body: Static<typeof ItemBody>, replaced: NewItem, context: BodyContext): Item {
  const { currency } = context.merchant;
  const variationIds = toPartIds(body.variations, replaced.variations ?? [], { field: 'variations', ...context });
  return {
    id: replaced.id,
    version: replaced.version,
    name: body.name,
    description: body.description ?? null,
    categoryId: body.category_id ?? null,
    pictureId: body.picture_id ?? null,
    locationIds: fromLocationIds(body, context),
    online: body.online,
    archived: body.archived ?? false,
    variations: body.variations.map((variation, index) => ({
      id: variationIds[index] ?? '',
      name: variation.name,
      ...present({ sku: variation.sku }),
      price: fromWireAmount(variation.price_money, { currency, field: 'variations.price_money', least: 0 }),
      ...(variation.variable_price && { variablePrice: true }),
      ...(variation.sold_by_measure && { soldByMeasure: true }),
    })),
    modifierListIds: [...new Set(body.modifier_list_ids)],
    taxIds: [...new Set(body.tax_ids)],
    createdAt: replaced.createdAt,
    updatedAt: replaced.updatedAt,
  };
}
