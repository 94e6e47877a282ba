/** The register's view of a sale that a buyer comes back with: what was paid, and what can still be given back. */
import { Money, toMoney } from '../../api/money.js';
import { about, Bool, model, optional, present, type Static, Type } from '../../api/wire.js';
import { QUANTITY_OF_ONE, quantityAsNumber } from '../../base/decimal.js';
import type { ReceiptSite } from '../../base/receipt-url.js';
import { RECEIPT_LINES, toReceiptLines } from '../figures/receipt.view.js';
import { returnedQuantities } from '../receipts/item-refunds.js';
import { priceOf, type ReceiptItem } from '../receipts/model.js';
import { RefundPayer, toRefundPayer } from '../refunds/dashboard.view.js';
import type { PayerPart } from '../refunds/through-exchanges.js';
import { itemReturnsOf, type OwnerSale, receiptIdOfSale, type SoldItems } from './owner-model.js';
import {
  RECEIPT_FIELDS,
  receiptSumsOf,
  SALE_FIELDS,
  TENDER_FIELDS,
  toReceiptFields,
  toSaleFields,
  toTenderFields,
} from './sale-fields.view.js';

const FoundTender = model('RegisterFoundTender', {
  ...TENDER_FIELDS,
  returns_to: about(
    'If returned goods paid: what was paid for them, which a refund of this tender gives back. Absent otherwise.',
    optional(
      Type.Array(
        Type.Object({
          tender: about('What was paid for the returned goods.', RefundPayer),
          amount_money: about('What can go back to it.', Money),
        }),
      ),
    ),
  ),
});

const FoundLine = model('RegisterFoundLine', {
  line: about('The number of the line, from 0. It names the line in refunds.', Type.Integer()),
  name: about('What was sold.', Type.String()),
  variation_name: about('The size or kind. Absent without one.', optional(Type.String())),
  quantity: about('How much was sold.', Type.Number()),
  returned_quantity: about('How much of it was returned.', Type.Number()),
  list_money: about('The price of the whole quantity, before discounts, as the price list and receipts say it.', Money),
  total_money: about('The price of the whole quantity, with taxes and discounts.', Money),
});

export const RegisterFoundSale = model('RegisterFoundSale', {
  ...SALE_FIELDS,
  payment_id: about('The id for refunds.', Type.String()),
  ...RECEIPT_FIELDS,
  tenders: about('What paid for it, the first tender first.', Type.Array(FoundTender)),
  refunds_by_item: about(
    'Whether its items can be returned singly: it has some, and no amount was refunded before.',
    Bool,
  ),
  lines: about('What was sold.', Type.Array(FoundLine)),
  ...RECEIPT_LINES,
});

interface FoundSurroundings {
  readonly currency: string;
  /** Of tenders that returned goods pay, by the id of the tender. */
  readonly payers: ReadonlyMap<string, readonly PayerPart[]>;
}

export function toFoundSale(
  sale: OwnerSale,
  { receipt, refunds }: SoldItems,
  { currency, payers, ...site }: ReceiptSite & FoundSurroundings,
): Static<typeof RegisterFoundSale> {
  const { returns, isOnlyByItem } = itemReturnsOf(refunds);
  const returned = receipt ? returnedQuantities(receipt, returns) : [];
  return {
    ...toSaleFields(sale, currency),
    payment_id: sale.v1Id,
    ...toReceiptFields(receiptIdOfSale(sale), site),
    tenders: sale.tenders.map((tender) => ({
      ...toTenderFields(tender, currency),
      ...present({
        returns_to: payers.get(tender.id)?.map(({ part, ...payer }) => ({
          tender: toRefundPayer(payer),
          amount_money: toMoney(part, currency),
        })),
      }),
    })),
    refunds_by_item: receipt !== null && sale.state === 'COMPLETED' && isOnlyByItem,
    receipt_lines: toReceiptLines(receiptSumsOf({ ...sale, receipt }), currency),
    lines: (receipt?.items ?? []).map((item, line) =>
      toFoundLine(item, { line, returned: returned[line] ?? 0 }, currency),
    ),
  };
}

function toFoundLine(
  item: ReceiptItem,
  { line, returned }: { readonly line: number; readonly returned: number },
  currency: string,
): Static<typeof FoundLine> {
  return {
    line,
    name: item.name,
    ...present({ variation_name: item.variationName }),
    quantity: quantityAsNumber(item.quantity),
    returned_quantity: returned / QUANTITY_OF_ONE,
    list_money: toMoney(priceOf(item), currency),
    total_money: toMoney(item.total, currency),
  };
}
