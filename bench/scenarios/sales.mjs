/** Register sales with items, tenders and refunds, for v1 listPayments. */
import { parseQuantity, parseRate } from '../../dist/base/decimal.js';
import { NAMED_PRINTER, RECEIPT_PRINTER, toReceiptRecord } from '../../dist/business/receipts/copies.js';
import { computeReceipt } from '../../dist/business/receipts/model.js';
import { storeBreakdown } from '../../dist/business/receipts/stored.js';
import { openDatabase } from '../../dist/database/database.js';
import { newMerchant } from '../support/merchants.mjs';

const SALES = 1000;

const item = (name, price) => ({
  ...{ kind: 'ITEM', name, variationName: 'Regular', quantity: parseQuantity('2'), price },
  detail: { categoryName: 'Drinks', sku: `SKU-${name}`, itemId: `item-${name}`, itemVariationId: `variation-${name}` },
  modifiers: [{ name: 'Oat milk', optionId: 'option-1', price: 50 }],
  ...{ discounts: [], taxes: [] },
});

const RECEIPT = computeReceipt({
  items: [item('Latte', 450), item('Cortado', 400), item('Croissant', 350)],
  discounts: [{ name: 'Happy hour', id: 'discount-1', restricted: false, rate: parseRate('0.1') }],
  taxes: [{ name: 'Sales tax', id: 'tax-1', rate: parseRate('0.085'), inclusion: 'ADDITIVE' }],
  surcharges: [],
});

const BREAKDOWN = JSON.stringify(
  storeBreakdown({
    tip: 0,
    taxes: [{ name: 'Sales tax', id: 'tax-1', rate: parseRate('0.085'), inclusion: 'ADDITIVE', applied: -8 }],
    ...{ additiveTax: -8, inclusiveTax: 0, tax: -8 },
    ...{ discount: 10, surcharges: [], surcharge: 0 },
  }),
);

/** Each sale is paid by card, every fourth also in cash; every fifth has a refund. `$1` is the merchant, `$2` the location. */
const FILL = [
  `insert into sales (merchant_id, sale_id, location_id, kind, created_at, state, device_id, device_name, employee_id,
      register_sale_id, request_hash, rung_up_at, due, paid, receipt, v1_receipt, v1_receipt_version, v1_receipt_printer,
      tender_ids)
    select $1, 'S' || lpad(i::text, 26, '0'), $2, 'REGISTER', t, 'COMPLETED', 'bench', 'Till', gen_random_uuid(), i::text, '', t,
      ${RECEIPT.due}, ${RECEIPT.due}, $3::text::json -> 'receipt', $3::text::json ->> 'copy', ${NAMED_PRINTER}, '${RECEIPT_PRINTER}',
      array['T' || lpad(i::text, 26, '0')] || case when i % 4 = 0 then array['U' || lpad(i::text, 26, '0')] else '{}' end
    from generate_series(1, ${SALES}) i, lateral (select timestamptz '2026-01-01' + i * interval '1 minute' as t) as at`,
  `insert into payments (merchant_id, payment_id, sale_id, location_id, channel, status, source_type, created_at,
      updated_at, captured_at, currency, amount, tip, total, fee, refunded, returned, card_brand, last_4, entry_method,
      tendered, employee_id, register_tender_id, details)
    select $1, tender.id, sale_id, location_id, kind, 'COMPLETED', case place when 1 then 'CARD' else 'CASH' end, created_at,
      created_at, created_at, 'USD', amount, tip, amount + tip, fee, back, back, brand, last_4, method, tendered,
      employee_id, tender.id, '{}'
    from sales, unnest(tender_ids) with ordinality as tender (id, place), lateral (
      select
        case when place = 2 then 500 when cardinality(tender_ids) = 2 then due - 500 else due end as amount,
        case place when 1 then 200 else 0 end as tip, case place when 1 then 92 else 0 end as fee,
        case when place = 1 and register_sale_id::int % 5 = 0 then 100 else 0 end as back,
        case place when 1 then 'VISA' end as brand, case place when 1 then '1111' end as last_4,
        case place when 1 then 'SWIPED' end as method, case place when 2 then 1000 end as tendered
    ) as words
    where merchant_id = $1 and $2::text is not null and $3::text is not null`,
  `insert into refunds (merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at,
      currency, amount, returned_fee, order_id, reason, origin, type, breakdown)
    select merchant_id, payment_id || '_R', payment_id, $2, 'COMPLETED', 'CARD', created_at, created_at, 'USD', 100, 3, '',
      'Spilled', 'REGISTER', 'PARTIAL', $3::text::json
    from payments
    where merchant_id = $1 and refunded > 0`,
];

/** Returns a merchant with a thousand of them. */
export async function fillSales(server) {
  const merchant = await newMerchant(server);
  const database = openDatabase(server.databaseUrl, { maxConnections: 1 });
  const { stored, v1Copy } = toReceiptRecord(RECEIPT, 'USD');
  const receipt = JSON.stringify({ receipt: JSON.parse(stored), copy: v1Copy });
  for (const [index, statement] of FILL.entries()) {
    await database.sql.unsafe(statement, [merchant.id, merchant.locationId, index === 2 ? BREAKDOWN : receipt]);
  }
  await database.sql.unsafe('vacuum analyze');
  await database.close();
  return merchant;
}

export function pageOfSales({ locationId }) {
  return `/v1/${locationId}/payments?limit=200&begin_time=2026-01-01&end_time=2026-06-01`;
}
