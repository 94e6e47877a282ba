/** The schemas and the view of sales at a register. */
import { WRITE_FIELDS } from '../../access/devices/register-writes.js';
import { fromWireAmount, Money, toMoney, WireAmount } from '../../api/money.js';
import { fromRateText } from '../../api/rates.js';
import { about, choice, model, optional, present, type Static, Time, Type, text, Version } from '../../api/wire.js';
import { parseQuantity, type Quantity, type Rate } from '../../base/decimal.js';
import { Refusal } from '../../base/errors.js';
import { type Amount, ZERO } from '../../base/money.js';
import { NormalizedRequest } from '../../base/normalized-request.js';
import type { ReceiptSite } from '../../base/receipt-url.js';
import { printMilliseconds } from '../../base/time.js';
import type { Attendant } from '../../identity/caller.js';
import { CARD_BRANDS } from '../../processor/contract.js';
import { RECEIPT_FIELDS, toReceiptFields } from '../paid-sales/sale-fields.view.js';
import type { DiscountInput, ItemInput, ReceiptInput, SurchargeInput, TaxInput } from '../receipts/model.js';
import { fromReturnedItems, ReturnedItems } from '../refunds/items.view.js';
import { receiptIdOf, unpaid } from '../sales/model.js';
import type { EditableSale } from '../sales/queries.js';
import type { RegisterSaleWithTenders } from './actions.js';
import { fromSaleApproval, SaleApproval } from './approval.view.js';
import type { OpenSaleEdit } from './edit-sale.js';
import type { NewSaleWithReturns } from './ring-up.js';
import {
  type Discount,
  type Itemization,
  SALE_LINES,
  type Surcharge,
  type Tax,
  toSaleLines,
} from './sale-lines.view.js';
import { Tender, toTender } from './tender.view.js';
import type { NewTender, TenderSource } from './tenders.js';

const TENDERS = ['CARD', 'GIFT_CARD', 'CASH', 'EXTERNAL_CARD', 'OTHER'] as const;

/** The brands that the slip of a terminal can show. */
const EXTERNAL_BRANDS = CARD_BRANDS.filter((brand) => !brand.startsWith('SQUARE_'));

const TENDER_FIELDS = {
  id: WRITE_FIELDS.id,
  type: about('How it is paid.', choice(TENDERS)),
  amount_money: about('What it pays, without the tip. Default: all that is left.', optional(WireAmount)),
  tip_money: about('The tip.', optional(WireAmount)),
  source_id: about('The card to charge: a card token, or in a sandbox a test source.', optional(text(255))),
  entry_method: about('How the card was read. Default: swiped.', optional(choice(['SWIPED', 'KEYED']))),
  tendered_money: about('The cash that the buyer handed over.', optional(WireAmount)),
  name: about('What the tender is called, for `OTHER`.', optional(text(60))),
  card_brand: about('The brand, for `EXTERNAL_CARD`. Default: `OTHER_BRAND`.', optional(choice(EXTERNAL_BRANDS))),
  last_4: about(
    'The last four digits of the card, for `EXTERNAL_CARD`.',
    optional(Type.String({ pattern: '^[0-9]{4}$', maxLength: 4 })),
  ),
  reference: about('What the terminal has printed, such as its code, for `EXTERNAL_CARD`.', optional(text(60))),
};

export const TenderBody = Type.Object({ ...TENDER_FIELDS, occurred_at: WRITE_FIELDS.occurred_at });
const MAX_TENDERS = 20;

const SALE_FIELDS = {
  ...WRITE_FIELDS,
  ...SALE_LINES,
  total_money: about(
    'The total that the register computed. If the server computes another one, the sale is refused.',
    optional(WireAmount),
  ),
  label: about('A name of an open sale, such as `Table 4`.', optional(text(60))),
  approval: about('What somebody else allowed, if the employee may not give the discounts.', optional(SaleApproval)),
  tenders: about(
    'What pays for it. Without any, the sale is parked.',
    optional(Type.Array(Type.Object(TENDER_FIELDS), { maxItems: MAX_TENDERS })),
  ),
  returns: about(
    'Returned goods of earlier sales, whose value pays for this sale.',
    optional(
      Type.Array(
        Type.Object({
          payment_id: about('The earlier sale. Either this or `sale_id`.', optional(text(192, { minLength: 1 }))),
          sale_id: about(
            'The id that this register chose for the earlier sale. Either this or `payment_id`.',
            optional(text(64, { minLength: 1 })),
          ),
          amount_money: about(
            'What the goods are worth. With `items`, it is what the buyer was told: another one is refused.',
            optional(WireAmount),
          ),
          items: about('The returned items. Either this or `amount_money`.', optional(ReturnedItems)),
          refunded_money: about(
            'The part of the value that goes back as money, to the tenders of the earlier sale, because this sale costs less.',
            optional(WireAmount),
          ),
          reason: about('Why they are returned.', text(192, { minLength: 1 })),
        }),
        { maxItems: MAX_TENDERS },
      ),
    ),
  ),
};

export const SaleBody = Type.Object(SALE_FIELDS);

const { tenders: _tenders, returns: _returns, ...EDITABLE } = SALE_FIELDS;

export const SaleEditBody = Type.Object({ ...EDITABLE, version: Version });

interface BodyContext {
  readonly currency: string;
  readonly attendant: Attendant;
}

/** Reads a body that its schema has accepted, and refuses what a schema cannot express. */
export function fromSaleBody(body: Static<typeof SaleBody>, context: BodyContext): NewSaleWithReturns {
  return withoutIndexes(() => toNewSale(body, context));
}

/** Reads an edit of an open sale in the same way. */
export function fromSaleEditBody(body: Static<typeof SaleEditBody>, context: BodyContext): OpenSaleEdit {
  return withoutIndexes(() => ({ ...fromEditableFields(body, context), id: body.id, version: body.version }));
}

function withoutIndexes<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    // The detail has the index of the line. The field has no index, like the fields that the schema check names.
    if (!(error instanceof Refusal) || error.field === undefined) throw error;
    throw new Refusal(error.reason, { field: error.field.replaceAll(/\.\d+/g, ''), detail: error.message });
  }
}

function toNewSale(body: Static<typeof SaleBody>, context: BodyContext): NewSaleWithReturns {
  const { currency } = context;
  const sale = {
    registerSaleId: body.id,
    ...fromEditableFields(body, context),
    tenders: (body.tenders ?? []).map((tender, index) => fromTenderBody(tender, currency, `tenders.${index}.`)),
    returns: fromReturns(body, context),
  };
  // Without its time, as in `writeOnce`.
  return { ...sale, request: new NormalizedRequest(sale) };
}

function fromEditableFields(body: Static<typeof SaleEditBody> | Static<typeof SaleBody>, context: BodyContext) {
  const { currency } = context;
  const field = 'total_money';
  return {
    receipt: toReceiptInput(body, context),
    expectedDue: body.total_money && fromWireAmount(body.total_money, { currency, field, least: 0 }),
    label: body.label?.trim() || null,
    approval: body.approval && fromSaleApproval(body.approval, currency),
  };
}

function fromReturns({ returns = [] }: Static<typeof SaleBody>, { currency, attendant }: BodyContext) {
  if (returns.length > 0 && !attendant.permissions.has('REGISTER_ISSUE_REFUNDS')) {
    throw new Refusal('FORBIDDEN', { field: 'returns', detail: 'Returns require REGISTER_ISSUE_REFUNDS.' });
  }
  return returns.map(({ payment_id, sale_id, amount_money, items, refunded_money, reason }, index) => {
    const field = `returns.${index}.amount_money`;
    const amount = amount_money && fromWireAmount(amount_money, { currency, field, least: 1 });
    const ofMoney = { currency, field: `returns.${index}.refunded_money`, least: 1 };
    const refunded = refunded_money && fromWireAmount(refunded_money, ofMoney);
    if (!amount && !items) throw new Refusal('MISSING_REQUIRED_PARAMETER', { field, detail: `${field} is required.` });
    return {
      paymentId: payment_id,
      saleId: sale_id,
      amount,
      items: items && fromReturnedItems(items),
      refunded,
      reason,
    };
  });
}

type SoldLines = Pick<Static<typeof SaleBody>, 'itemizations' | 'discounts' | 'taxes' | 'surcharges'>;

function toReceiptInput(body: SoldLines, context: BodyContext): ReceiptInput {
  return {
    items: body.itemizations.map((item, index) => fromItemization(item, context, `itemizations.${index}`)),
    discounts: (body.discounts ?? []).map((line, index) => fromDiscount(line, context, `discounts.${index}`)),
    taxes: (body.taxes ?? []).map(fromTax),
    surcharges: (body.surcharges ?? []).map((line, index) => fromSurcharge(line, context, `surcharges.${index}`)),
  };
}

function fromItemization(item: Static<typeof Itemization>, context: BodyContext, field: string): ItemInput {
  const money = (value: Static<typeof WireAmount>, member: string) =>
    fromWireAmount(value, { currency: context.currency, field: `${field}.${member}`, least: 0 });
  const { item_detail: detail } = item;
  return {
    kind: item.itemization_type ?? 'ITEM',
    name: item.name,
    quantity: requireQuantity(item.quantity ?? '1', `${field}.quantity`),
    price: money(item.single_quantity_money, 'single_quantity_money'),
    ...present({ variationName: item.item_variation_name, notes: item.notes }),
    ...(detail && {
      detail: present({
        categoryName: detail.category_name,
        sku: detail.sku,
        itemId: detail.item_id,
        itemVariationId: detail.item_variation_id,
      }),
    }),
    modifiers: (item.modifiers ?? []).map((modifier, index) => ({
      name: modifier.name,
      price: money(modifier.price_money, `modifiers.${index}.price_money`),
      ...present({ optionId: modifier.modifier_option_id }),
    })),
    discounts: (item.discounts ?? []).map((line, at) => fromDiscount(line, context, `${field}.discounts.${at}`)),
    taxes: (item.taxes ?? []).map(fromTax),
  };
}

function fromDiscount(line: Static<typeof Discount>, { currency }: BodyContext, field: string): DiscountInput {
  const { name, discount_id: id, restricted = false } = line;
  return { name, restricted, ...present({ id }), ...toRateOrAmount(line, currency, field) };
}

function fromTax(line: Static<typeof Tax>): TaxInput {
  const rate = fromRateText(line.rate);
  return { name: line.name, rate, inclusion: line.inclusion_type ?? 'ADDITIVE', ...present({ id: line.fee_id }) };
}

function fromSurcharge(line: Static<typeof Surcharge>, { currency }: BodyContext, field: string): SurchargeInput {
  const kind = line.type ?? 'CUSTOM';
  return { name: line.name, kind, ...present({ id: line.surcharge_id }), ...toRateOrAmount(line, currency, field) };
}

function toRateOrAmount(
  line: { rate?: string; amount_money?: Static<typeof WireAmount> },
  currency: string,
  field: string,
): { rate: Rate } | { amount: Amount } {
  if (line.rate !== undefined && line.amount_money === undefined) return { rate: fromRateText(line.rate) };
  if (line.amount_money !== undefined && line.rate === undefined) {
    return { amount: fromWireAmount(line.amount_money, { currency, field: `${field}.amount_money`, least: 0 }) };
  }
  throw new Refusal('CONFLICTING_PARAMETERS', { field, detail: `${field} requires either rate or amount_money.` });
}

function requireQuantity(text: string, field: string): Quantity {
  const quantity = parseQuantity(text);
  if (quantity !== undefined) return quantity;
  throw new Refusal('INVALID_VALUE', { field, detail: `${field} must be more than 0.` });
}

type TenderFields = Omit<Static<typeof TenderBody>, 'occurred_at'>;

export function fromTenderBody(tender: TenderFields, currency: string, prefix = ''): NewTender {
  const money = (amount: Static<typeof WireAmount> | undefined, field: string) =>
    amount && fromWireAmount(amount, { currency, field: `${prefix}${field}`, least: 0 });
  const tip = money(tender.tip_money, 'tip_money') ?? ZERO;
  return {
    registerTenderId: tender.id,
    amount: money(tender.amount_money, 'amount_money'),
    tip: tip === ZERO ? null : tip,
    source: toTenderSource(tender, money(tender.tendered_money, 'tendered_money'), prefix),
  };
}

function toTenderSource(tender: TenderFields, tendered: Amount | undefined, prefix: string): TenderSource {
  if (tender.type === 'CASH') return { kind: 'CASH', tendered };
  if (tender.type === 'OTHER') return { kind: 'OTHER', name: tender.name ?? 'Other' };
  if (tender.type === 'EXTERNAL_CARD') {
    const { card_brand: brand = 'OTHER_BRAND', last_4: last4, reference } = tender;
    return { kind: 'EXTERNAL_CARD', brand, last4, reference: reference?.trim() || undefined };
  }
  if (tender.source_id === undefined) {
    const field = `${prefix}source_id`;
    throw new Refusal('MISSING_REQUIRED_PARAMETER', { field, detail: `${field} is required with a ${tender.type}.` });
  }
  return {
    kind: 'CARD',
    sourceId: tender.source_id,
    entryMethod: tender.entry_method === 'KEYED' ? 'MANUAL' : 'SWIPED',
    acceptPartial: tender.type === 'GIFT_CARD',
  };
}

const LastAct = model('RegisterSaleAct', {
  device_id: about('The register.', Type.String()),
  device_name: about('The name of the register.', Type.String()),
  employee_id: about('The employee.', Type.String()),
  at: about('When it was done.', Time),
});

export const RegisterSale = model('RegisterSale', {
  id: about('The id of the sale.', Type.String()),
  register_id: about('The id that the register chose.', Type.String()),
  state: about('Whether the sale is paid.', choice(['OPEN', 'COMPLETED', 'CANCELED'])),
  location_id: about('Where the sale was made.', Type.String()),
  device_id: about('The register that rang it up.', Type.String()),
  employee_id: about('The employee who rang it up.', Type.String()),
  label: about('The name of an open sale. Absent without one.', optional(Type.String())),
  version: about(
    'Identifies what the editor sees. Send it with an edit. It is another one after every change.',
    Type.String(),
  ),
  payment_id: about(
    'The id of the sale in v1 and in refunds: that of its only tender, or `id` if it is split. Absent while v1 does not show the sale.',
    optional(Type.String()),
  ),
  receipt_number: optional(RECEIPT_FIELDS.receipt_number),
  receipt_url: optional(RECEIPT_FIELDS.receipt_url),
  last_act: about(
    'Who took the last tender, edited or canceled it after it was rung up, and where. Absent if nobody did.',
    optional(LastAct),
  ),
  rung_up_at: about('When it was rung up.', Time),
  created_at: about('When it was completed. Absent before that.', optional(Time)),
  total_money: about('What the buyer has to pay, without tips.', Money),
  paid_money: about('What tenders have paid.', Money),
  remaining_money: about('What is left to pay.', Money),
  tenders: about('What pays for it, the first tender first.', Type.Array(Tender)),
  /** Only while it is open: what is sold, as it was rung up or edited last. */
  itemizations: optional(SALE_LINES.itemizations),
  discounts: SALE_LINES.discounts,
  taxes: SALE_LINES.taxes,
  surcharges: SALE_LINES.surcharges,
});

export interface SaleSite extends ReceiptSite {
  readonly currency: string;
}

export function toRegisterSale(
  { sale, tenders }: RegisterSaleWithTenders,
  { currency, ...site }: SaleSite,
): Static<typeof RegisterSale> {
  return {
    id: sale.id,
    register_id: sale.registerSaleId,
    state: sale.state,
    location_id: sale.locationId,
    device_id: sale.deviceId,
    employee_id: sale.employeeId,
    version: sale.version,
    ...present({ label: sale.label }),
    ...(sale.createdAt !== null && {
      payment_id: sale.v1Id,
      ...toReceiptFields(receiptIdOf(sale.id, sale.tenderIds), site),
      created_at: printMilliseconds(sale.createdAt),
    }),
    ...(sale.lastAct && { last_act: toLastAct(sale.lastAct) }),
    rung_up_at: printMilliseconds(sale.rungUpAt),
    total_money: toMoney(sale.due, currency),
    paid_money: toMoney(sale.paid, currency),
    remaining_money: toMoney(sale.state === 'OPEN' ? unpaid(sale) : ZERO, currency),
    tenders: tenders.map(toTender),
    ...(sale.lines && toSaleLines(sale.lines, currency)),
  };
}

function toLastAct({ deviceId, deviceName, employeeId, at }: NonNullable<EditableSale['lastAct']>) {
  return { device_id: deviceId, device_name: deviceName, employee_id: employeeId, at: printMilliseconds(at) };
}
