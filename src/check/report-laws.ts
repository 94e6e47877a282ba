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

/** The sums that are read from the receipts of sales. */
const IN_RECEIPTS = ['gross', 'discount', 'tax', 'surcharge'];
const WITHOUT_RECEIPTS = SUMS.filter((name) => !IN_RECEIPTS.includes(name));

const dayOf = `(s.created_at at time zone ${zone})::date`;
const COUNTED_DAY = {
  merchant: 'coalesce(d.merchant_id, c.merchant_id)',
  location: 'coalesce(d.location_id, c.location_id)',
  day: 'coalesce(d.day, c.day)',
};
const sameDay = (alias: string, { merchant, location, day }: typeof COUNTED_DAY): string =>
  `${alias}.merchant_id = ${merchant} and ${alias}.location_id = ${location} and ${alias}.day = ${day}`;
const differs = (names: readonly string[]): string => `${rowOf('d', names)} is distinct from ${rowOf('c', names)}`;

const printBoth = (names: readonly string[]): string =>
  `format('stored %s, counted %s', ${rowOf('d', names)}, ${rowOf('c', names)})`;

/**
 * How far the location of the sale `s` is rolled up. PostgreSQL multiplies the selectivities of the columns of a join, and expected 310 of a
 * million sales: it then compared every refund of a merchant with every sale. An outer join is expected to keep all of them.
 */
const PROGRESS = 'left join report_progress g on g.merchant_id = s.merchant_id and g.location_id = s.location_id';
/** Of rows without a sale it is false. As a plain condition it would turn the outer joins into plain ones again. */
const isRolledUp = (time: string): string => `coalesce(s.state = 'COMPLETED' and ${time} < g.rolled_up_to, false)`;

/** The days whose receipts have to be read: their total or one of their sales is new, or they were wrong before. */
function touchedDays({ isNew, open }: LastCheck): string {
  return `
      with touched as materialized (
        select merchant_id, location_id, day
        from report_days
        where dimension = 'TOTAL' and ${isNew('report_days')}
        union
        select s.merchant_id, s.location_id, ${dayOf}
        from sales s
        ${PROGRESS}
        where ${isNew('s')} and ${isRolledUp('s.created_at')}
        union
        select "merchantId", split_part(subject, ' ', 1), split_part(subject, ' ', 2)::date
        from ${open}
      )`;
}

/** The rolled-up totals of days that differ from what is counted. */
function dayTotals(last?: LastCheck): string {
  return `
      ${last ? touchedDays(last) : ''}
      select coalesce(d.merchant_id, c.merchant_id) as merchant_id,
        coalesce(d.location_id, c.location_id) || ' ' || coalesce(d.day, c.day) as subject,
        ${last ? `case when n.day is null then ${printBoth(WITHOUT_RECEIPTS)} else ${printBoth(SUMS)} end` : printBoth(SUMS)} as found
      from (
        select day.*
        from report_days day
        left join report_late_days m on m.merchant_id = day.merchant_id and m.location_id = day.location_id and m.day = day.day
        where day.dimension = 'TOTAL' and m.day is null
      ) d
      full join (
        select each.merchant_id, each.location_id, each.day, ${summed}
        from (
          select s.merchant_id, s.location_id, ${dayOf} as day,
            1 as count, case s.kind when 'API' then t.amount else ${inReceipt('gross')} end as gross,
            ${inReceipt('discount')} as discount, ${inReceipt('tax')} as tax, ${inReceipt('surcharge')} as surcharge,
            coalesce(t.tip, 0) as tip, coalesce(t.total, 0) as collected, coalesce(t.fee, 0) as fee,
            0 as refund_count, 0 as refunded, 0 as refunded_tax, 0 as refunded_surcharge, 0 as refunded_tip, 0 as refunded_fee
          from sales s
          ${PROGRESS}
          ${last ? `left join touched n on ${sameDay('n', { merchant: 's.merchant_id', location: 's.location_id', day: dayOf })}` : ''}
          -- All of them at once: each \`->>\` would read the whole receipt again.
          left join lateral json_to_record(${last ? 'case when n.day is not null then s.receipt end' : 's.receipt'}) as receipt (gross bigint, discount bigint, tax bigint, surcharge bigint) on true
          left join (
            select merchant_id, sale_id, sum(amount) as amount, sum(tip) as tip, sum(total) as total,
              sum(coalesce(fee, 0) + coalesce(app_fee, 0)) as fee
            from payments
            where captured_at is not null
            group by merchant_id, sale_id
          ) t on t.merchant_id = s.merchant_id and t.sale_id = s.sale_id
          where ${isRolledUp('s.created_at')}
          union all
          select s.merchant_id, s.location_id, (greatest(r.created_at, s.created_at) at time zone ${zone})::date,
            0, 0, 0, 0, 0, 0, 0, 0,
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
          where ${isRolledUp('greatest(r.created_at, s.created_at)')}
        ) each
        left join report_late_days m on m.merchant_id = each.merchant_id and m.location_id = each.location_id and m.day = each.day
        where m.day is null
        group by each.merchant_id, each.location_id, each.day
      ) c on c.merchant_id = d.merchant_id and c.location_id = d.location_id and c.day = d.day
      ${last ? `left join touched n on ${sameDay('n', COUNTED_DAY)}` : ''}
      where ${differs(last ? WITHOUT_RECEIPTS : SUMS)} ${last ? `or (n.day is not null and ${differs(IN_RECEIPTS)})` : ''}`;
}

export const REPORT_LAWS: readonly Law[] = [
  {
    // Leaves out late days: they are computed when they are read, until they are rolled up again.
    name: 'the rolled-up total of a day is the sum of its sales and refunds',
    statement: dayTotals(),
    // A receipt that has not changed needs not be read again: its sale is still counted. A changed sale or total has a new version.
    sinceLast: dayTotals,
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
