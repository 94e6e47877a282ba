/** Online orders that wait: a tap shows one, completes it, or cancels it. */
import { useState } from 'react';
import { useStore } from '../../client/store.js';
import { IconBell, IconCloudOff } from '../../ui/icons.js';
import { Money, printMoney } from '../../ui/money.js';
import { QueryView } from '../../ui/query-view.js';
import { Empty } from '../../ui/states.js';
import { Moment } from '../../ui/time.js';
import { call, register } from '../core/call.js';
import { isOnline } from '../core/connection.js';
import { device } from '../core/device.js';
import { attendant } from '../core/people.js';
import { useAttempt } from '../parts/attempt.js';
import { BigButton } from '../parts/big-button.js';
import { Panel } from '../parts/panel.js';
import { Row, Rows } from '../parts/rows.js';
import { Screen } from '../parts/screen.js';
import type { WireOrder } from '../parts/wire.js';
import { refreshOrders, useOpenOrders } from './orders-data.js';

export default function Orders() {
  const [orders, online, timezone] = [useOpenOrders(), useStore(isOnline), useStore(device)?.location.timezone];
  const [chosen, setChosen] = useState<string>();
  const order = orders.data?.find(({ id }) => id === chosen);
  return (
    <Screen title="Online orders" note="Paid and waiting. A bell rings when one comes in.">
      {online || orders.data ? (
        <QueryView
          query={orders}
          isEmpty={(found) => found.length === 0}
          empty={
            <Empty icon={IconBell} title="No orders wait">
              Orders from the online store of this location appear here as soon as they are paid.
            </Empty>
          }
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
        </QueryView>
      ) : (
        <Empty icon={IconCloudOff} title="Online orders need the network">
          They are shown again as soon as the network is back.
        </Empty>
      )}
      {order && <OrderPanel order={order} onClose={() => setChosen(undefined)} />}
    </Screen>
  );
}

export function itemsOf({ first_item: first, item_count: count }: WireOrder): string {
  if (first === undefined) return `${count} items`;
  return count > 1 ? `${first} and ${count - 1} more` : first;
}

function OrderPanel({ order, onClose }: { readonly order: WireOrder; readonly onClose: () => void }) {
  const mayRefund = useStore(attendant)?.permissions.has('REGISTER_ISSUE_REFUNDS') ?? false;
  const [isAsking, setAsking] = useState(false);
  const { attempt, isBusy } = useAttempt();
  const act = async (operation: typeof register.completeOrder, done: string): Promise<void> => {
    const isDone = await attempt(() => call(operation, { order_id: order.id, id: crypto.randomUUID() }), done);
    await refreshOrders();
    if (isDone) onClose();
  };
  return (
    <Panel
      title={`Order of ${order.recipient_name}`}
      onClose={onClose}
      footer={
        <BigButton
          tone="main"
          isTall
          isBusy={isBusy}
          onClick={() => act(register.completeOrder, 'The order is completed.')}
        >
          Complete the order
        </BigButton>
      }
    >
      <p>
        {itemsOf(order)}: <strong>{printMoney(order.total_money)}</strong>, paid.
      </p>
      {mayRefund &&
        (isAsking ? (
          <BigButton
            tone="danger"
            isDisabled={isBusy}
            onClick={() => act(register.cancelOrder, 'The order is canceled.')}
          >
            {`Yes, cancel and refund ${printMoney(order.total_money)}`}
          </BigButton>
        ) : (
          <BigButton onClick={() => setAsking(true)}>Cancel the order</BigButton>
        ))}
    </Panel>
  );
}
