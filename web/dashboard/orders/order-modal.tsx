/** Completes, cancels or refunds an order. */
import { Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { cardName } from '../../../src/business/tenders/words.js';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { printMoney } from '../../ui/money.js';
import { useSaved } from '../../ui/save.js';
import type { OrderAction, OrderDetail } from './order.js';

interface OrderModalProps {
  readonly order: OrderDetail;
  readonly action: OrderAction;
  readonly onClose: () => void;
}

const DONE: Readonly<Record<OrderAction, string>> = {
  COMPLETE: 'The order is completed',
  CANCEL: 'The order is canceled',
  REFUND: 'The order is refunded',
};

/** What will happen, with exact figures. */
function wordsFor(action: OrderAction, order: OrderDetail): { title: string; submit: string; text: string } {
  const sum = printMoney(order.refundable_money);
  const card = order.last_4 === undefined ? 'the card' : cardName(order);
  const isPaid = order.refundable_money.amount > 0;
  if (action === 'COMPLETE') {
    return { title: 'Complete this order', submit: 'Complete', text: 'The order is on its way to the buyer.' };
  }
  if (action === 'CANCEL') {
    const text = isPaid
      ? `The order is canceled, and ${sum} goes back to ${card}.`
      : 'The order can no longer be paid.';
    return { title: 'Cancel this order?', submit: isPaid ? `Cancel and refund ${sum}` : 'Cancel order', text };
  }
  return {
    title: 'Refund this order?',
    submit: isPaid ? `Refund ${sum}` : 'Mark as refunded',
    text: isPaid ? `${sum} goes back to ${card}.` : 'Everything has been refunded already.',
  };
}

export function OrderModal({ order, action, onClose }: OrderModalProps) {
  const [tracking, setTracking] = useState('');
  const [note, setNote] = useState('');
  const [saved, queries] = [useSaved(), useQueryClient()];
  const { title, submit, text } = wordsFor(action, order);
  const act = async () => {
    try {
      await call(dashboard.updateOrder, {
        order_id: order.id,
        action,
        note: note || undefined,
        tracking_number: tracking || undefined,
      });
    } catch (error) {
      // Somebody else may have changed the order meanwhile: the page shows it.
      await queries.invalidateQueries({ queryKey: ['retrieveOrder'] });
      throw error;
    }
    await saved(DONE[action]);
  };
  return (
    <FormModal title={title} submitLabel={submit} danger={action !== 'COMPLETE'} onClose={onClose} onSubmit={act}>
      {(errorOf) => (
        <>
          <Text>{text}</Text>
          {action === 'COMPLETE' && (
            <TextInput
              label="Tracking number"
              maxLength={255}
              data-autofocus
              value={tracking}
              onChange={(event) => setTracking(event.currentTarget.value)}
              error={errorOf('tracking_number')}
            />
          )}
          <Textarea
            label="Note"
            autosize
            minRows={2}
            maxLength={1000}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            error={errorOf('note')}
          />
        </>
      )}
    </FormModal>
  );
}
