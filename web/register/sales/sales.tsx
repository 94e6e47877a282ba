/** Past sales of the location: found by receipt number, last four digits, amount, or a scan of the receipt. */
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useState } from 'react';
import { useStore } from '../../client/store.js';
import { IconCloudOff, IconHistory, IconSearch } from '../../ui/icons.js';
import { Money } from '../../ui/money.js';
import { QueryView } from '../../ui/query-view.js';
import { Empty } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { call, register } from '../core/call.js';
import { isOnline } from '../core/connection.js';
import { device } from '../core/device.js';
import { Row, Rows } from '../parts/rows.js';
import { Screen } from '../parts/screen.js';
import type { WireFoundSale } from '../parts/wire.js';
import { SearchField } from '../sell/categories.js';
import { useScanner } from '../sell/use-scanner.js';
import { SalePanel } from './sale-panel.js';
import { tenderWords } from './tender-words.js';
import { wantedReceipt } from './wanted-receipt.js';

export default function Sales() {
  const [search, setSearch] = useState(wantedReceipt.get() ?? '');
  const [chosen, setChosen] = useState<string>();
  const query = useDeferredValue(search.trim());
  const online = useStore(isOnline);
  useEffect(() => wantedReceipt.set(undefined), []);
  useScanner(setSearch);
  const sales = useQuery({
    queryKey: ['findSales', query],
    queryFn: async () => (await call(register.findSales, { query })).sales,
    enabled: online,
  });
  const sale = sales.data?.find(({ id }) => id === chosen);
  return (
    <Screen title="Sales" note="Receipt number, last four digits of the card, amount, or scan the receipt.">
      <SearchField value={search} onChange={setSearch} onEnter={() => setChosen(sales.data?.[0]?.id)} isWide />
      {online || sales.data ? (
        <QueryView
          query={sales}
          isEmpty={(found) => found.length === 0}
          empty={
            query === '' ? (
              <Empty icon={IconHistory} title="No sales yet">
                Sales of this location appear here.
              </Empty>
            ) : (
              <Empty icon={IconSearch} title="No such sale">
                Look at the receipt: its number is at the bottom. Sales of other locations are not found here.
              </Empty>
            )
          }
        >
          {(found) => <List sales={found} onPick={setChosen} />}
        </QueryView>
      ) : (
        <Empty icon={IconCloudOff} title="Past sales need the network">
          Giving back has to know what was paid. It is possible again as soon as the network is back.
        </Empty>
      )}
      {sale && <SalePanel sale={sale} onClose={() => setChosen(undefined)} />}
    </Screen>
  );
}

function List({ sales, onPick }: { readonly sales: readonly WireFoundSale[]; readonly onPick: (id: string) => void }) {
  const timezone = useStore(device)?.location.timezone;
  return (
    <Rows>
      {sales.map((sale) => (
        <Row
          key={sale.id}
          title={sale.lines.map(({ name }) => name).join(', ')}
          note={
            <>
              <Moment at={sale.created_at} timezone={timezone} /> · {sale.tenders.map(tenderWords).join(', ')} ·{' '}
              {sale.receipt_number}
            </>
          }
          value={<Money value={sale.total_money} />}
          {...(sale.refunded_money.amount > 0 && { tag: 'refunded' })}
          onClick={() => onPick(sale.id)}
        />
      ))}
    </Rows>
  );
}
