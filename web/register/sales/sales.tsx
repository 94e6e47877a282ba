/** Past sales of the location: found by receipt number, last four digits, amount, time, or a scan of the receipt. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { tenderName } from '../../../src/business/tenders/words.js';
import { useStore } from '../../client/store.js';
import { IconHistory, IconSearch } from '../../ui/icons.js';
import { Money } from '../../ui/money.js';
import { Empty } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { usePaused } from '../../ui/use-paused.js';
import { call, register } from '../core/call.js';
import { now } from '../core/clock.js';
import { isOnline } from '../core/connection.js';
import { device } from '../core/device.js';
import { OnlineView } from '../parts/online-view.js';
import { Row, Rows } from '../parts/rows.js';
import { Screen } from '../parts/screen.js';
import type { WireFoundSale } from '../parts/wire.js';
import { SearchField } from '../sell/categories.js';
import { useScanner } from '../sell/use-scanner.js';
import { SalePanel } from './sale-panel.js';
import { refundedWords, titleOf } from './sale-words.js';
import { wantedReceipt } from './wanted-receipt.js';
import { ANY_TIME, rangeOf } from './when.js';
import { WhenField } from './when-field.js';

/** The search. A scan and Enter do not wait for a pause in typing, and open the sale if they find only one. */
function useSearch() {
  const [search, setSearch] = useState(wantedReceipt.get() ?? '');
  const [entered, setEntered] = useState(wantedReceipt.get());
  const isAwaited = useRef(entered !== undefined);
  const typed = search.trim();
  const paused = usePaused(typed);
  const enter = (text: string): void => {
    isAwaited.current = text !== '';
    setEntered(text);
  };
  return {
    search,
    setSearch,
    query: entered === typed ? typed : paused,
    isAwaited,
    enter: () => enter(typed),
    scan: (code: string) => {
      setSearch(code);
      enter(code.trim());
    },
  };
}

export default function Sales() {
  const { search, setSearch, query, isAwaited, enter, scan } = useSearch();
  const [when, setWhen] = useState(ANY_TIME);
  const [chosen, setChosen] = useState<string>();
  const [online, timezone = 'UTC'] = [useStore(isOnline), useStore(device)?.location.timezone];
  useEffect(() => wantedReceipt.set(undefined), []);
  useScanner(scan);
  const sales = useQuery({
    queryKey: ['findSales', query, when],
    queryFn: async () => (await call(register.findSales, { query, ...rangeOf(when, now(), timezone) })).sales,
    enabled: online,
  });
  const { data: found } = sales;
  useEffect(() => {
    if (!isAwaited.current || !found) return;
    isAwaited.current = false;
    if (found.length === 1) setChosen(found[0]?.id);
  }, [found, isAwaited]);
  const sale = found?.find(({ id }) => id === chosen);
  return (
    <Screen title="Sales" note="Receipt number, last four digits of the card, amount, or scan the receipt.">
      <SearchField value={search} onChange={setSearch} onEnter={enter} isWide />
      <WhenField value={when} onChange={setWhen} />
      <OnlineView
        query={sales}
        empty={query === '' && when.when === 'ANY' ? <NoSales /> : <NoSuchSale />}
        offlineTitle="Past sales need the network"
        offlineText="Giving back has to know what was paid. It is possible again as soon as the network is back."
      >
        {(list) => <List sales={list} onPick={setChosen} />}
      </OnlineView>
      {sale && <SalePanel sale={sale} onClose={() => setChosen(undefined)} />}
    </Screen>
  );
}

function NoSales() {
  return (
    <Empty icon={IconHistory} title="No sales yet">
      Sales of this location appear here.
    </Empty>
  );
}

function NoSuchSale() {
  return (
    <Empty icon={IconSearch} title="No such sale">
      Look at the receipt: its number is at the bottom. Sales of other locations are not found here.
    </Empty>
  );
}

function List({ sales, onPick }: { readonly sales: readonly WireFoundSale[]; readonly onPick: (id: string) => void }) {
  const timezone = useStore(device)?.location.timezone;
  return (
    <Rows>
      {sales.map((sale) => (
        <Row
          key={sale.id}
          title={titleOf(sale)}
          note={
            <>
              <Moment at={sale.created_at} timezone={timezone} /> ·{' '}
              {[...new Set(sale.tenders.map(tenderName))].join(', ')} · {sale.receipt_number}
            </>
          }
          value={<Money value={sale.total_money} />}
          tag={refundedWords(sale)}
          onClick={() => onPick(sale.id)}
        />
      ))}
    </Rows>
  );
}
