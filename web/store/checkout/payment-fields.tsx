/** The card that pays. A sandbox has a list of test cards; a store of your own has the card form of its processor here. */
import { Radio, Stack, Text, Title } from '@mantine/core';
import { Notice } from '../../ui/notice.js';
import { Card } from '../../ui/states.js';
import type { StoreFacts } from '../goods.js';
import classes from './checkout.module.css';

interface PaymentFieldsProps {
  readonly store: StoreFacts;
  readonly sourceId: string;
  readonly onChange: (sourceId: string) => void;
}

export function PaymentFields({ store: { test_cards: cards }, sourceId, onChange }: PaymentFieldsProps) {
  return (
    <Card padded>
      <Stack gap="md">
        <Title order={2} size="h4">
          Payment
        </Title>
        {cards.length === 0 ? (
          <Notice tone="warning" title="Cards cannot be entered on this page">
            Please ask the business how to pay. Your cart stays as it is.
          </Notice>
        ) : (
          <>
            <Text c="dimmed">This is a sandbox: choose a test card. No money moves.</Text>
            <Radio.Group aria-label="Card" value={sourceId} onChange={onChange}>
              <div className={classes['choices']}>
                {cards.map(({ source_id, label, last_4 }) => (
                  <Radio
                    key={source_id}
                    className={classes['choice'] ?? ''}
                    value={source_id}
                    label={`${label} •••• ${last_4}`}
                  />
                ))}
              </div>
            </Radio.Group>
          </>
        )}
      </Stack>
    </Card>
  );
}
