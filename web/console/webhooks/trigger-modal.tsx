/** Causes an event: the server makes what it tells of, such as a payment. */
import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { CAUSED_KINDS, type CausedKind } from '../../../src/events/model.js';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';
import { JsonField } from '../try/json-field.js';

const ROWS = 4;
interface TriggerModalProps {
  readonly merchantId: string;
  readonly onClose: () => void;
}

export function TriggerModal({ merchantId, onClose }: TriggerModalProps) {
  const [kind, setKind] = useState<CausedKind>('payment.created');
  const [set, setSet] = useState<unknown>();
  const saved = useSaved();
  const cause = async () => {
    const event = { kind, ...(set !== undefined && { set: set as Record<string, unknown> }) };
    const { events } = await call(sandbox.causeEvents, { merchant_id: merchantId, events: [event] });
    await saved(wordsFor(kind, events[0]?.subscriptions ?? 0));
  };
  return (
    <FormModal
      title="Trigger an event"
      submitLabel="Trigger"
      isReady={set === undefined || typeof set === 'object'}
      onClose={onClose}
      onSubmit={cause}
    >
      {() => (
        <>
          <Text c="dimmed" size="sm">
            The server makes what the event tells of: a payment, a refund, a timecard. It is in all lists afterwards.
          </Text>
          <Select
            label="Kind of event"
            data={CAUSED_KINDS}
            value={kind}
            onChange={(chosen) => chosen !== null && setKind(chosen as CausedKind)}
            allowDeselect={false}
            data-autofocus
          />
          <JsonField
            label="Values to set"
            description='Of payments and refunds, by their places. For example {"payment.amount_money.amount": 500}'
            rows={ROWS}
            value={set}
            onChange={setSet}
          />
        </>
      )}
    </FormModal>
  );
}

function wordsFor(kind: CausedKind, subscriptions: number): string {
  if (subscriptions === 0) return `${kind} has happened. No receiver is subscribed to it`;
  return `${kind} has happened, and goes to ${subscriptions} ${subscriptions === 1 ? 'receiver' : 'receivers'}`;
}
