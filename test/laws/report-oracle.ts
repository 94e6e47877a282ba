/** Computes reports in memory from the single sales, payments and refunds. Shares no code with the statements of reports. */
import type { Sql } from '../../src/database/database.js';

type Row = Record<string, number>;

export interface Oracle {
  /** The sums of a grouping, by key. */
  report(group: string, begin: string, end: string, locationIds: readonly string[]): Record<string, Row>;
}

interface StoredSale {
  readonly saleId: string;
  readonly locationId: string;
  readonly createdAt: number;
  readonly employeeId: string | null;
  readonly receipt: string | null;
}

interface StoredPayment {
  readonly paymentId: string;
  readonly saleId: string;
  readonly sourceType: string;
  readonly cardBrand: string | null;
  readonly isExchange: boolean;
  readonly amount: number;
  readonly tip: number | null;
  readonly total: number;
  readonly fee: number | null;
  readonly appFee: number | null;
}

interface StoredRefund {
  readonly refundId: string;
  readonly leaderId: string | null;
  readonly paymentId: string;
  readonly returnedTo: string | null;
  readonly createdAt: number;
  readonly status: string;
  readonly origin: string;
  readonly amount: number;
  readonly returnedFee: number | null;
  readonly appFee: number | null;
  readonly breakdown: string | null;
}

interface Line {
  readonly id?: string;
  readonly name: string;
  readonly applied: number;
}

interface Item {
  readonly kind: string;
  readonly name: string;
  readonly quantity: number;
  readonly gross: number;
  readonly discount: number;
  readonly additiveTax: number;
  readonly inclusiveTax: number;
  readonly detail?: { readonly itemId?: string; readonly categoryName?: string };
}

/** One thing that counts: where, when, in which group of each dimension, and what. */
interface Entry {
  readonly locationId: string;
  readonly day: string;
  readonly hour: string;
  readonly dimension: string;
  readonly key: string;
  readonly sums: Row;
}

export const SUM_NAMES = [
  ...['count', 'quantity', 'gross', 'discount', 'tax', 'surcharge', 'tip', 'collected', 'fee'],
  ...['refundCount', 'refunded', 'refundedTax', 'refundedSurcharge', 'refundedTip', 'refundedFee'],
];

export async function readOracle(sql: Sql, merchantId: string): Promise<Oracle> {
  const zones = await sql<{ locationId: string; timezone: string }[]>`
    select location_id, timezone from locations where merchant_id = ${merchantId}`;
  const sales = await sql<StoredSale[]>`
    select sale_id, location_id, created_at, employee_id, receipt::text from sales
    where merchant_id = ${merchantId} and state = 'COMPLETED'`;
  const payments = await sql<StoredPayment[]>`
    select payment_id, sale_id, source_type, card_brand, is_exchange, amount, tip, total, fee, app_fee from payments
    where merchant_id = ${merchantId} and captured_at is not null`;
  const refunds = await sql<StoredRefund[]>`
    select refund_id, leader_id, payment_id, returned_to, created_at, status, origin, amount, returned_fee, app_fee, breakdown::text from refunds
    where merchant_id = ${merchantId} and status in ('PENDING', 'COMPLETED')`;
  const formats = new Map(zones.map(({ locationId, timezone }) => [locationId, toFormat(timezone)]));
  const entries: Entry[] = [];
  for (const sale of sales) {
    const local = toLocal(formats, sale.locationId, sale.createdAt);
    const tenders = payments.filter(({ saleId }) => saleId === sale.saleId);
    for (const entry of saleEntries(sale, tenders)) entries.push({ ...local, ...entry });
  }
  const counted = new Set<string>();
  for (const refund of refunds) {
    const payment = payments.find(({ paymentId }) => paymentId === refund.paymentId);
    const sale = sales.find(({ saleId }) => saleId === payment?.saleId);
    if (!payment || !sale) continue;
    const local = toLocal(formats, sale.locationId, Math.max(refund.createdAt, sale.createdAt));
    const leader = refund.leaderId ?? refund.refundId;
    const payer = payments.find(({ paymentId }) => paymentId === refund.returnedTo) ?? payment;
    for (const entry of refundEntries(refund, payer, sale, counted.has(leader) ? 0 : 1))
      entries.push({ ...local, ...entry });
    counted.add(leader);
  }
  return { report: (group, begin, end, locationIds) => reportOf(entries, { group, begin, end, locationIds }) };
}

function toFormat(timeZone: string) {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
}

function toLocal(formats: ReadonlyMap<string, Intl.DateTimeFormat>, locationId: string, at: number) {
  const text = formats.get(locationId)?.format(at) ?? '';
  return { locationId, day: text.slice(0, 10), hour: String(Number(text.slice(11, 13))) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

type Placed = Pick<Entry, 'dimension' | 'key' | 'sums'>;

function saleEntries(sale: StoredSale, tenders: readonly StoredPayment[]): Placed[] {
  const receipt = sale.receipt === null ? undefined : JSON.parse(sale.receipt);
  const feeOf = ({ fee, appFee }: StoredPayment) => (fee ?? 0) + (appFee ?? 0);
  const whole = {
    count: 1,
    gross: receipt ? receipt.gross : sum(tenders.map(({ amount }) => amount)),
    discount: receipt?.discount ?? 0,
    tax: receipt?.tax ?? 0,
    surcharge: receipt?.surcharge ?? 0,
    tip: sum(tenders.map(({ tip }) => tip ?? 0)),
    collected: sum(tenders.map(({ total }) => total)),
    fee: sum(tenders.map(feeOf)),
  };
  const items: Item[] = receipt?.items ?? [
    {
      kind: 'CUSTOM_AMOUNT',
      name: '',
      quantity: 100_000,
      gross: whole.gross,
      discount: 0,
      additiveTax: 0,
      inclusiveTax: 0,
    },
  ];
  return [
    { dimension: 'TOTAL', key: '', sums: whole },
    { dimension: 'EMPLOYEE', key: sale.employeeId ?? '', sums: whole },
    ...items.flatMap(({ kind, name, quantity, gross, discount, additiveTax, inclusiveTax, detail }) => {
      const tax = additiveTax + inclusiveTax;
      const sums = { count: 1, quantity, gross, discount, tax, collected: gross + discount + tax };
      return [
        { dimension: 'ITEM', key: kind === 'ITEM' ? (detail?.itemId ?? name) : kind, sums },
        { dimension: 'CATEGORY', key: detail?.categoryName ?? '', sums },
      ];
    }),
    ...tenders.flatMap((tender) => {
      const sums = { count: 1, tip: tender.tip ?? 0, collected: tender.total, fee: feeOf(tender) };
      const type = tender.isExchange ? 'EXCHANGE' : tender.sourceType;
      const brand = { dimension: 'CARD_BRAND', key: tender.cardBrand ?? 'OTHER_BRAND', sums };
      return [{ dimension: 'TENDER', key: type, sums }, ...(type === 'CARD' ? [brand] : [])];
    }),
    ...((receipt?.taxes ?? []) as Line[]).map(({ id, name, applied }) => ({
      dimension: 'TAX',
      key: id ?? name,
      sums: { count: 1, tax: applied },
    })),
    ...((receipt?.discounts ?? []) as Line[]).map(({ id, name, applied }) => ({
      dimension: 'DISCOUNT',
      key: id ?? name,
      sums: { count: 1, discount: applied },
    })),
  ];
}

function refundEntries(
  refund: StoredRefund,
  payment: StoredPayment,
  { employeeId, receipt }: StoredSale,
  refundCount: number,
): Placed[] {
  const part = refund.breakdown === null ? {} : JSON.parse(refund.breakdown);
  const sums = {
    refundCount,
    refunded: refund.amount,
    refundedTax: -(part.tax ?? 0),
    refundedSurcharge: -(part.surcharge ?? 0),
    refundedTip: -(part.tip ?? 0),
    refundedFee: refund.status === 'COMPLETED' ? (refund.returnedFee ?? 0) + (refund.appFee ?? 0) : 0,
  };
  const type = refund.origin === 'EXCHANGE' ? 'EXCHANGE' : payment.sourceType;
  const ofTender = { ...sums, refundCount: 1 };
  const brand = { dimension: 'CARD_BRAND', key: payment.cardBrand ?? 'OTHER_BRAND', sums: ofTender };
  return [
    { dimension: 'TOTAL', key: '', sums },
    { dimension: 'EMPLOYEE', key: employeeId ?? '', sums },
    { dimension: 'TENDER', key: type, sums: ofTender },
    ...(type === 'CARD' ? [brand] : []),
    ...((part.taxes ?? []) as Line[]).map(({ id, name, applied }) => ({
      dimension: 'TAX',
      key: id ?? name,
      sums: { refundCount: 1, refundedTax: -applied },
    })),
    ...returnedGoods(part.items, receipt === null ? undefined : JSON.parse(receipt), sums),
  ];
}

/** What a refund takes from items and categories: the items that it names, and the rest. */
function returnedGoods(
  named: readonly { line: number; quantity: number; amount: number; tax: number }[] | undefined,
  receipt: { readonly items: readonly Item[] } | undefined,
  whole: {
    readonly refunded: number;
    readonly refundedTip: number;
    readonly refundedSurcharge: number;
    readonly refundedTax: number;
  },
): Placed[] {
  const placed: Placed[] = [];
  const goods = whole.refunded - whole.refundedTip - whole.refundedSurcharge;
  const rest = { refundCount: named ? 0 : 1, refunded: goods, refundedTax: whole.refundedTax };
  for (const { line, quantity, amount, tax } of named ?? []) {
    const item = receipt?.items[line] as Item;
    const sums = { refundCount: 1, quantity: -quantity, refunded: amount, refundedTax: tax };
    const key = item.kind === 'ITEM' ? (item.detail?.itemId ?? item.name) : item.kind;
    placed.push({ dimension: 'ITEM', key, sums });
    placed.push({ dimension: 'CATEGORY', key: item.detail?.categoryName ?? '', sums });
    rest.refunded -= amount;
    rest.refundedTax -= tax;
  }
  if (rest.refundCount === 0 && rest.refunded === 0 && rest.refundedTax === 0) return placed;
  const [item, category] = receipt ? ['REFUNDED_AMOUNT', 'REFUNDED_AMOUNT'] : ['CUSTOM_AMOUNT', ''];
  placed.push({ dimension: 'ITEM', key: item, sums: rest }, { dimension: 'CATEGORY', key: category, sums: rest });
  return placed;
}

function reportOf(
  entries: readonly Entry[],
  { group, begin, end, locationIds }: { group: string; begin: string; end: string; locationIds: readonly string[] },
): Record<string, Row> {
  const found: Record<string, Row> = {};
  for (const { locationId, day, hour, dimension, key, sums } of entries) {
    if (day < begin || day > end || !locationIds.includes(locationId)) continue;
    const name = keyIn(group, { locationId, day, hour, dimension, key });
    if (name === undefined) continue;
    const row = found[name] ?? Object.fromEntries(SUM_NAMES.map((each) => [each, 0]));
    for (const [each, value] of Object.entries(sums)) row[each] = (row[each] ?? 0) + value;
    found[name] = row;
  }
  return found;
}

function keyIn(group: string, { locationId, day, hour, dimension, key }: Omit<Entry, 'sums'>): string | undefined {
  const ofTotal = { DAY: day, WEEK: mondayOf(day), MONTH: day.slice(0, 7), HOUR: hour, LOCATION: locationId }[group];
  if (ofTotal !== undefined) return dimension === 'TOTAL' ? ofTotal : undefined;
  return dimension === group ? key : undefined;
}

function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
}
