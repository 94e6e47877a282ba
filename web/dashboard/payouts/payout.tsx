/** One settlement with its entries. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type Amount, add, amount, subtract, ZERO } from '../../../src/base/money.js';
import { addUp } from '../../../src/business/figures/model.js';
import { SETTLEMENT_MONEY } from '../../../src/business/figures/settlement.js';
import { call } from '../../client/call.js';
import type { List } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { CopyId } from '../../ui/copy-id.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { Facts } from '../../ui/facts.js';
import { figureColumns } from '../../ui/figure-columns.js';
import { figureLines } from '../../ui/figure-lines.js';
import { Figures } from '../../ui/figures.js';
import { IconBuildingBank } from '../../ui/icons.js';
import { Money } from '../../ui/money.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { Card, Empty, LoadingBlock } from '../../ui/states.js';
import { TextLink } from '../../ui/text-link.js';
import { printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { BackLink } from '../shell/shell.js';
import { FailedNotice } from './failed-notice.js';
import { type Settlement, SettlementState } from './settlement.js';

type Entry = NonNullable<Settlement['entries']>[number];
type NumberedEntry = Entry & { readonly number: number };

const KINDS: Readonly<Partial<Record<Entry['type'], string>>> = {
  CHARGE: 'Sale',
  REFUND: 'Refund',
  ADJUSTMENT: 'Adjustment',
  HOLD_ADJUSTMENT: 'Disputed payment',
  RETURNED_PAYOUT: 'Returned payout',
};

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({
    queryKey: ['retrieveSettlement', id],
    queryFn: () => call(dashboard.retrieveSettlement, { settlement_id: id }),
  });
  return (
    <QueryView query={query} loading={<LoadingBlock height={320} />}>
      {({ settlement }) => <Payout settlement={settlement} />}
    </QueryView>
  );
}

/** The figures of one entry, or of all. Entries have their amount after fees. */
function moneyOf(entries: readonly Entry[], currency_code: string) {
  const sumOf = (field: 'amount_money' | 'fee_money'): Amount =>
    entries.reduce((sum, entry) => add(sum, amount(entry[field].amount)), ZERO);
  const fees = sumOf('fee_money');
  const { gross, net } = addUp(SETTLEMENT_MONEY, { gross: subtract(sumOf('amount_money'), fees), fees });
  const money = (minor: Amount) => ({ amount: minor, currency_code });
  return { gross: money(gross), fees: money(fees), net: money(net) };
}

function Payout({ settlement }: { readonly settlement: Settlement }) {
  const { timezoneOf, locationName } = useBusiness();
  const { total_money: total, entries = [] } = settlement;
  const lines = figureLines(SETTLEMENT_MONEY, { ...moneyOf(entries, total.currency_code), net: total });
  return (
    <Frame
      title={`Settlement of ${printTime(settlement.initiated_at, 'day', timezoneOf(settlement.location_id))}`}
      above={<BackLink to="/dashboard/payouts">Payouts</BackLink>}
      actions={<SettlementState settlement={settlement} />}
    >
      <FailedNotice settlement={settlement} />
      <Figures
        figures={[
          ...lines.map(({ label, money }) => ({ name: label, value: <Money value={money} /> })),
          { name: 'Entries', value: entries.length },
        ]}
      />
      <Card padded>
        <Facts
          facts={[
            { name: 'Location', value: locationName(settlement.location_id) },
            { name: 'Bank account', value: <CopyId id={settlement.bank_account_id} label="bank account id" /> },
            { name: 'Id', value: <CopyId id={settlement.id} /> },
          ]}
        />
      </Card>
      <Entries entries={entries} />
    </Frame>
  );
}

const COLUMNS: readonly Column<NumberedEntry>[] = [
  { key: 'kind', header: 'Kind', cell: ({ type }) => KINDS[type] ?? type, value: ({ type }) => KINDS[type] ?? type },
  {
    key: 'payment',
    header: 'Payment',
    cell: ({ payment_id }) => payment_id && <CopyId id={payment_id} label="payment id" />,
    value: ({ payment_id }) => payment_id,
    wide: true,
  },
  {
    key: 'sale',
    header: 'Sale',
    cell: ({ payment_id }) => payment_id && <TextLink to={`/dashboard/sales/${payment_id}`}>Show</TextLink>,
    value: ({ payment_id }) => payment_id,
    csv: () => '',
  },
  ...figureColumns<typeof SETTLEMENT_MONEY, NumberedEntry>({
    table: SETTLEMENT_MONEY,
    of: (entry) => moneyOf([entry], entry.amount_money.currency_code),
    looks: { gross: { wide: true } },
  }),
];

function Entries({ entries }: { readonly entries: readonly Entry[] }) {
  const rows = entries.map((entry, index) => ({ ...entry, number: index + 1 }));
  const list: List<NumberedEntry> = {
    rows,
    error: null,
    hasMore: false,
    isLoadingMore: false,
    refetch: () => undefined,
    loadMore: () => undefined,
    loadAll: async () => rows,
  };
  return (
    <DataTable
      name="Settlement entries"
      list={list}
      columns={COLUMNS}
      rowKey={({ number }) => String(number)}
      empty={
        <Empty icon={IconBuildingBank} title="No entries">
          This settlement has no entries.
        </Empty>
      }
    />
  );
}
