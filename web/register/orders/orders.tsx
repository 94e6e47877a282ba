/** Online orders that wait: a tap shows one, completes it, or cancels it. */
import { useEffect, useState } from 'react';
import { useStore } from '../../client/store.js';
import { IconBell } from '../../ui/icons.js';
import { Money } from '../../ui/money.js';
import { Empty } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { device } from '../core/device.js';
import { OnlineView } from '../parts/online-view.js';
import { Row, Rows } from '../parts/rows.js';
import { Screen } from '../parts/screen.js';
import type { WireOrder } from '../parts/wire.js';
import { OrderPanel } from './order-panel.js';
import { refreshOrders, useOpenOrders } from './orders-data.js';

export default function Orders() {
  const [orders, timezone] = [useOpenOrders(), useStore(device)?.location.timezone];
  const [chosen, setChosen] = useState<string>();
  useEffect(() => void refreshOrders(), []);
  const order = orders.data?.find(({ id }) => id === chosen);
  return (
    <Screen title="Online orders" note="Paid and waiting. A bell rings when one comes in.">
      <OnlineView
        query={orders}
        empty={
          <Empty icon={IconBell} title="No orders wait">
            Orders from the online store of this location appear here as soon as they are paid.
          </Empty>
        }
        offlineTitle="Online orders need the network"
        offlineText="They are shown again as soon as the network is back."
      >
        {(found) => (
          <Rows>
            {found.map((each) => (
              <Row
                key={each.id}
                title={each.recipient_name}
                note={
                  <>
                    <Moment at={each.created_at} timezone={timezone} /> · {itemsOf(each)}
                  </>
                }
                value={<Money value={each.total_money} />}
                onClick={() => setChosen(each.id)}
              />
            ))}
          </Rows>
        )}
      </OnlineView>
      {order && <OrderPanel order={order} onClose={() => setChosen(undefined)} />}
    </Screen>
  );
}

function itemsOf({ first_item: first, item_count: count }: WireOrder): string {
  if (first === undefined) return `${count} items`;
  return count > 1 ? `${first} and ${count - 1} more` : first;
}
