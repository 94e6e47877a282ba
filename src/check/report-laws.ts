/** Laws of reports: what is rolled up equals the sums of the single sales and refunds. */
import type { LastCheck, Law } from './law.js';

/** PostgreSQL reads the sign of an offset such as +05:30 the other way round. */
const zone = "case when g.timezone ~ '^[+-]' then translate(g.timezone, '+-', '-+') else g.timezone end";
const inReceipt = (name: string): string => `coalesce(receipt.${name}, 0)`;
const inPart = (name: string): string => `-coalesce((r.breakdown ->> '${name}')::bigint, 0)`;

const SUMS = [
  ...['count', 'gross', 'discount', 'tax', 'surcharge', 'tip', 'collected', 'fee'],
  ...['refund_count', 'refunded', 'refunded_tax', 'refunded_surcharge', 'refunded_tip', 'refunded_fee'],
];
const rowOf = (alias: string, names: readonly string[]): string =>
  `(${names.map((name) => `${alias}.${name}::numeric`)})`;
const summed = SUMS.map((name) => `sum(${name}) as ${name}`);

/** The part of the total of a day that belongs to items: tips and surcharges do not. */
const GOODS: Readonly<Record<string, string>> = {
  collected: 't.collected - t.tip - t.surcharge',
  refunded: 't.refunded - t.refunded_tip - t.refunded_surcharge',
};

/** Each dimension other than TOTAL, and the sums in which its rows must add up to the total of the day. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  HOUR: SUMS,
  EMPLOYEE: SUMS,
  ITEM: ['gross', 'discount', 'tax', 'refunded_tax', ...Object.keys(GOODS)],
  CATEGORY: ['gross', 'discount', 'tax', 'refunded_tax', ...Object.keys(GOODS)],
  TENDER: ['tip', 'collected', 'fee', ...SUMS.filter((name) => name.startsWith('refunded'))],
  TAX: ['tax', 'refunded_tax'],
  DISCOUNT: ['discount'],
};

const isOfGoods = (dimension: string): boolean => dimension === 'ITEM' || dimension === 'CATEGORY';
const inTotal = (dimension: string, name: string): string =>
  (isOfGoods(dimension) ? GOODS[name] : undefined) ?? `t.${name}`;

/** The sums that are read from the receipts and payments of sales. */
const OF_SALES = ['gross', 'discount', 'tax', 'surcharge', 'tip', 'collected', 'fee'];
const WITHOUT_SALES = SUMS.filter((name) => !OF_SALES.includes(name));

/** A refund counts when it was made, but not before its sale. */
const REFUNDED_AT = 'greatest(r.created_at, s.created_at)';
const dayOf = (time: string): string => `(${time} at time zone ${zone})::date`;
/** Of a day that is stored, counted or both. */
const EITHER = (['merchant_id', 'location_id', 'day'] as const).map(
  (name) => `coalesce(d.${name}, c.${name}) as ${name}`,
);
const differs = (names: readonly string[]): string => `${rowOf('d', names)} is distinct from ${rowOf('c', names)}`;
/**
 * How far the location of the sale `s` is rolled up. PostgreSQL multiplies the selectivities of the columns of a join, and expected 310 of a
 * million sales: it then compared every refund of a merchant with every sale. An outer join is expected to keep all of them.
 */
const PROGRESS = 'left join report_progress g on g.merchant_id = s.merchant_id and g.location_id = s.location_id';
/** Of rows without a sale it is false. As a plain condition it would turn the outer joins into plain ones again. */
const isRolledUp = (time: string): string => `coalesce(s.state = 'COMPLETED' and ${time} < g.rolled_up_to, false)`;

/** All fields at once: each `->>` would read the whole receipt again. */
const RECEIPT =
  'left join lateral json_to_record(s.receipt) as receipt (gross bigint, discount bigint, tax bigint, surcharge bigint) on true';

/** What the tenders of some sales add up to. */
const tendersOf = (condition: string): string => `
  left join (
    select merchant_id, sale_id, sum(amount) as amount, sum(tip) as tip, sum(total) as total,
      sum(coalesce(fee, 0) + coalesce(app_fee, 0)) as fee
    from payments
    where captured_at is not null and ${condition}
    group by merchant_id, sale_id
  ) t on t.merchant_id = s.merchant_id and t.sale_id = s.sale_id`;

/** The sums of the sale `s` with its receipt and tenders, and no sums. */
const SUMS_OF_SALE = `
  case s.kind when 'API' then t.amount else ${inReceipt('gross')} end as gross, ${inReceipt('discount')} as discount,
  ${inReceipt('tax')} as tax, ${inReceipt('surcharge')} as surcharge, coalesce(t.tip, 0) as tip,
  coalesce(t.total, 0) as collected, coalesce(t.fee, 0) as fee`;
const NO_SUMS_OF_SALE = OF_SALES.map((name) => `0 as ${name}`).join(', ');

/** The days as they are counted, except late ones. */
const counted = (sumsOfSale: string, joins: string): string => `
  select each.merchant_id, each.location_id, each.day, ${summed}
  from (
    select s.merchant_id, s.location_id, ${dayOf('s.created_at')} as day, 1 as count, ${sumsOfSale},
      0 as refund_count, 0 as refunded, 0 as refunded_tax, 0 as refunded_surcharge, 0 as refunded_tip, 0 as refunded_fee
    from sales s
    ${PROGRESS}
    ${joins}
    where ${isRolledUp('s.created_at')}
    union all
    select s.merchant_id, s.location_id, ${dayOf(REFUNDED_AT)}, 0, 0, 0, 0, 0, 0, 0, 0,
      -- A refund of several tenders counts once, with its first record.
      case when r.first_id = r.refund_id then 1 else 0 end,
      r.amount, ${inPart('tax')}, ${inPart('surcharge')}, ${inPart('tip')},
      case r.status when 'COMPLETED' then coalesce(r.returned_fee, 0) + coalesce(r.app_fee, 0) else 0 end
    from (
      select *, min(refund_id) over (partition by merchant_id, coalesce(leader_id, refund_id)) as first_id
      from refunds
      where status in ('PENDING', 'COMPLETED')
    ) r
    left join payments p on p.merchant_id = r.merchant_id and p.payment_id = r.payment_id
    left join sales s on s.merchant_id = p.merchant_id and s.sale_id = p.sale_id
    ${PROGRESS}
    where ${isRolledUp(REFUNDED_AT)}
  ) each
  left join report_late_days m on m.merchant_id = each.merchant_id and m.location_id = each.location_id and m.day = each.day
  where m.day is null
  group by each.merchant_id, each.location_id, each.day`;

/** The rolled-up totals, and the days as they are counted. */
const bothOf = (days: string): string => `
  (
    select day.*
    from report_days day
    left join report_late_days m on m.merchant_id = day.merchant_id and m.location_id = day.location_id and m.day = day.day
    where day.dimension = 'TOTAL' and m.day is null
  ) d
  full join (${days}) c on c.merchant_id = d.merchant_id and c.location_id = d.location_id and c.day = d.day`;

const DAY_TOTALS = `
  select coalesce(d.merchant_id, c.merchant_id) as merchant_id,
    coalesce(d.location_id, c.location_id) || ' ' || coalesce(d.day, c.day) as subject,
    format('stored %s, counted %s', ${rowOf('d', SUMS)}, ${rowOf('c', SUMS)}) as found
  from ${bothOf(counted(SUMS_OF_SALE, `${RECEIPT} ${tendersOf('true')}`))}
  where ${differs(SUMS)}`;

/**
 * Counts the sales and adds up the refunds of all days, and adds up the sales of touched days: those where that differs, those of a changed total
 * or sale, and those that were wrong or late. A sale that has left another day is missing in the count of that day, unless another one has come,
 * which has changed too.
 */
function dayTotalsSince({ isNew, open, sales, refunds, merchants }: LastCheck): string {
  const stored = SUMS.map((name) => `x.stored_${name}`);
  const worth = SUMS.map((name) =>
    OF_SALES.includes(name)
      ? `case when x.counted_count is not null then coalesce(w.${name}, 0) end`
      : `x.counted_${name}`,
  );
  return `
  with compared as materialized (
    select ${EITHER},
      ${differs(WITHOUT_SALES)} as differs,
      ${SUMS.map((name) => `d.${name}::numeric as stored_${name}, c.${name}::numeric as counted_${name}`)}
    from ${bothOf(counted(NO_SUMS_OF_SALE, ''))}
  ),
  touched as materialized (
    select merchant_id, location_id, day
    from compared
    where differs or merchant_id = any (${merchants})
    union
    select merchant_id, location_id, day
    from report_days
    where dimension = 'TOTAL' and ${isNew('report_days')}
    union
    select s.merchant_id, s.location_id, ${dayOf('s.created_at')}
    from ${sales}
    cross join lateral (select * from sales where merchant_id = k.merchant_id and sale_id = k.id offset 0) s
    ${PROGRESS}
    union
    select s.merchant_id, s.location_id, unnest(array[${dayOf('r.created_at')}, ${dayOf(REFUNDED_AT)}])
    from ${refunds}
    cross join lateral (select * from refunds where merchant_id = k.merchant_id and refund_id = k.id offset 0) r
    join payments p on p.merchant_id = r.merchant_id and p.payment_id = r.payment_id
    join sales s on s.merchant_id = p.merchant_id and s.sale_id = p.sale_id
    ${PROGRESS}
    union
    select merchant_id, split_part(id, ' ', 1), split_part(id, ' ', 2)::date
    from ${open}
  ),
  sold as materialized (
    select s.*, n.day
    from touched n
    -- An outer join, and one condition as a whole: PostgreSQL would expect a single sale.
    left join report_progress g on g.merchant_id = n.merchant_id and g.location_id = n.location_id
    cross join lateral (
      select *
      from sales
      -- A day of no place is longer than these three; the last condition is exact.
      where merchant_id = n.merchant_id and location_id = n.location_id
        and created_at >= (n.day - 1)::timestamp at time zone 'UTC' and created_at < (n.day + 2)::timestamp at time zone 'UTC'
      offset 0
    ) s
    where coalesce(s.state = 'COMPLETED' and s.created_at < g.rolled_up_to and ${dayOf('s.created_at')} = n.day, false)
  ),
  worth as (
    select each.merchant_id, each.location_id, each.day, ${OF_SALES.map((name) => `sum(each.${name}) as ${name}`)}
    from (
      select s.merchant_id, s.location_id, s.day, ${SUMS_OF_SALE}
      from sold s
      ${RECEIPT}
      -- The test for true keeps it a lookup in a hash table. As a join, PostgreSQL would read the payments of the merchant for each sale.
      ${tendersOf('((merchant_id, sale_id) in (select merchant_id, sale_id from sold)) is true')}
    ) each
    group by each.merchant_id, each.location_id, each.day
  )
  select x.merchant_id, x.location_id || ' ' || x.day as subject,
    format('stored %s, counted %s', (${stored}), (${worth})) as found
  from touched n
  join compared x using (merchant_id, location_id, day)
  left join worth w using (merchant_id, location_id, day)
  where (${stored}) is distinct from (${worth})`;
}

/** Its subjects are days of locations. */
export const DAY_TOTAL_LAW = 'the rolled-up total of a day is the sum of its sales and refunds';

export const REPORT_LAWS: readonly Law[] = [
  {
    // Leaves out late days: they are computed when they are read, until they are rolled up again.
    name: DAY_TOTAL_LAW,
    statement: DAY_TOTALS,
    sinceLast: dayTotalsSince,
  },
  {
    name: 'the parts of a rolled-up day add up to its total',
    statement: Object.entries(PARTS)
      .map(
        ([dimension, names]) => `
      select t.merchant_id, t.location_id || ' ' || t.day as subject,
        format('${dimension} %s of %s', ${rowOf('p', names)}, ${rowOf('t', names)}) as found
      from (select * from report_days where dimension = 'TOTAL') t
      left join (
        select merchant_id, location_id, day, ${names.map((name) => `sum(${name}) as ${name}`)}
        from report_days
        where dimension = '${dimension}'
        group by merchant_id, location_id, day
      ) p on p.merchant_id = t.merchant_id and p.location_id = t.location_id and p.day = t.day
      where ${names.map((name) => `coalesce(p.${name}, 0) <> ${inTotal(dimension, name)}`).join(' or ')}`,
      )
      .join(' union all '),
  },
];
