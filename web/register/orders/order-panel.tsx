/** One online order: what to pack, for whom, and the way to complete or cancel it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { printAddressWithCountry } from '../../../src/base/postal-address.js';
import { cardName } from '../../../src/business/tenders/words.js';
import { useStore } from '../../client/store.js';
import { printMoney } from '../../ui/money.js';
import { QueryView } from '../../ui/query-view.js';
import { call, register } from '../core/call.js';
import { attendant } from '../core/people.js';
import { useAttempt } from '../parts/attempt.js';
import { BigButton } from '../parts/big-button.js';
import { ButtonRow } from '../parts/button-row.js';
import { Panel } from '../parts/panel.js';
import { PaperLine, PaperRule, PaperSums } from '../parts/paper-lines.js';
import type { WireOrder, WireOrderDetail } from '../parts/wire.js';
import { refreshOrders } from './orders-data.js';

export function OrderPanel({ order, onClose }: { readonly order: WireOrder; readonly onClose: () => void }) {
  const mayRefund = useStore(attendant)?.permissions.has('REGISTER_ISSUE_REFUNDS') ?? false;
  const [isAsking, setAsking] = useState(false);
  const { attempt, isBusy } = useAttempt();
  const details = useQuery({
    queryKey: ['showOrder', order.id],
    queryFn: async () => (await call(register.showOrder, { order_id: order.id })).order,
  });
  const act = async (operation: typeof register.completeOrder, done: string): Promise<void> => {
    const isDone = await attempt(() => call(operation, { order_id: order.id, id: crypto.randomUUID() }), done);
    await refreshOrders();
    if (isDone) onClose();
  };
  const sum = printMoney(order.total_money);
  return (
    <Panel
      title={isAsking ? 'Cancel this order?' : `Order of ${order.recipient_name}`}
      size={520}
      onClose={onClose}
      footer={
        isAsking ? (
          <ButtonRow>
            <BigButton onClick={() => setAsking(false)}>Keep it</BigButton>
            <BigButton
              tone="danger"
              isBusy={isBusy}
              onClick={() => act(register.cancelOrder, `The order is canceled, and ${sum} is given back.`)}
            >
              {`Cancel and refund ${sum}`}
            </BigButton>
          </ButtonRow>
        ) : (
          <ButtonRow>
            {mayRefund && <BigButton onClick={() => setAsking(true)}>Cancel the order</BigButton>}
            <BigButton
              tone="main"
              isBusy={isBusy}
              onClick={() => act(register.completeOrder, 'The order is completed.')}
            >
              Complete the order
            </BigButton>
          </ButtonRow>
        )
      }
    >
      <QueryView query={details}>{(found) => <OrderLines order={found} />}</QueryView>
    </Panel>
  );
}

function OrderLines({ order }: { readonly order: WireOrderDetail }) {
  const { items } = order.receipt;
  const addressLabel = order.fulfillment === 'PICKUP' ? 'Pick-up at' : 'Address';
  return (
    <>
      {items.map(({ line, name, variation_name: variation, quantity, list_money, modifiers, notes }) => (
        <div key={line}>
          <PaperLine
            label={`${quantity === 1 ? '' : `${quantity} × `}${name}${isInformative(variation) ? `, ${variation}` : ''}`}
            value={printMoney(list_money)}
          />
          {modifiers.map(({ name: modifier }) => (
            <PaperLine key={modifier} label={modifier} isIndented />
          ))}
          {notes !== undefined && <PaperLine label={notes} isIndented />}
        </div>
      ))}
      <PaperSums lines={order.receipt_lines} />
      <PaperLine label="Paid with" value={cardName(order)} />
      <PaperRule />
      <PaperLine label="For" value={order.recipient_name} />
      {printAddressWithCountry(order.shipping_address).map((text, index) => (
        <PaperLine key={text} label={index === 0 ? addressLabel : ''} value={text} />
      ))}
      {order.recipient_phone_number !== undefined && <PaperLine label="Phone" value={order.recipient_phone_number} />}
      <PaperLine label="Email" value={order.buyer_email_address} />
      {order.buyer_note !== undefined && <PaperLine label="Note" value={order.buyer_note} />}
    </>
  );
}

/** False for "Regular": the only variation of an item has this name, which says nothing. */
function isInformative(variation: string | undefined): variation is string {
  return variation !== undefined && variation !== 'Regular';
}
