/** Sales that are parked, or of which something is left to pay. A tap takes one up again, at any register of the location. */
import { useEffect, useState } from 'react';
import { useStore } from '../../client/store.js';
import { IconStack2 } from '../../ui/icons.js';
import { Money } from '../../ui/money.js';
import { Empty } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { device } from '../core/device.js';
import { team } from '../core/people.js';
import { pending } from '../core/queue.js';
import { WITHOUT_LINES } from '../core/sale-body.js';
import { useAttempt } from '../parts/attempt.js';
import { OnlineView } from '../parts/online-view.js';
import { Row, Rows } from '../parts/rows.js';
import { Screen } from '../parts/screen.js';
import { goTo } from '../shell/places.js';
import { type OpenSale, refreshOpenSales, takeUp, useOpenSales } from './open-sales-data.js';

export default function OpenSales() {
  // Somebody who opens this list may look for a sale that another register has just parked.
  useEffect(refreshOpenSales, []);
  return (
    <Screen title="Open sales" note="Parked, or not paid in full. Every register of this location sees them.">
      <OnlineView
        query={useOpenSales()}
        empty={
          <Empty icon={IconStack2} title="No open sales">
            Park a sale with the bookmark above the cart, and take it up again here.
          </Empty>
        }
        offlineTitle="Open sales need the network"
        offlineText="They are shared by all registers. They are shown again as soon as the network is back."
      >
        {(found) => <List sales={found} />}
      </OnlineView>
    </Screen>
  );
}

function List({ sales }: { readonly sales: readonly OpenSale[] }) {
  const [people, timezone] = [useStore(team), useStore(device)?.location.timezone];
  const { attempt } = useAttempt();
  const unsentIds = new Set(useStore(pending).list.map(({ body }) => body['sale_id']));
  const isUnsent = (sale: OpenSale) => unsentIds.has(sale.id) || unsentIds.has(sale.register_id);
  const [busy, setBusy] = useState<string>();
  const nameOf = (employeeId: string) => people.find(({ id }) => id === employeeId)?.first_name ?? '';
  const take = async (sale: OpenSale): Promise<void> => {
    setBusy(sale.id);
    if (await attempt(() => takeUp(sale))) goTo('sell');
    setBusy(undefined);
  };
  return (
    <Rows>
      {sales.map((sale) => (
        <Row
          key={sale.id}
          isDisabled={busy !== undefined || isUnsent(sale)}
          onClick={() => take(sale)}
          title={sale.label ?? titleOf(sale)}
          note={
            <>
              <Moment at={sale.rung_up_at} timezone={timezone} style="both" /> · {nameOf(sale.employee_id)}
              {sale.label !== undefined && ` · ${titleOf(sale)}`}
            </>
          }
          value={<Money value={sale.remaining_money} />}
          {...tagOf(sale, isUnsent(sale))}
        />
      ))}
    </Rows>
  );
}

/** A sale with a write that waits to be sent must not be taken up again: the server does not know of the write yet. */
function tagOf({ paid_money: paid }: OpenSale, isUnsent: boolean): { tag?: string } {
  if (isUnsent) return { tag: 'waits to be sent' };
  return paid.amount > 0 ? { tag: 'partly paid' } : {};
}

/** `Espresso and 2 more`. */
function titleOf({ itemizations = [] }: OpenSale): string {
  const [first, ...rest] = itemizations;
  return first ? `${first.name}${rest.length > 0 ? ` and ${rest.length} more` : ''}` : WITHOUT_LINES;
}
