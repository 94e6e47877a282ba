/** Warns of a refund of disputed money. */
import { Alert, Checkbox, Stack, Text } from '@mantine/core';
import { tenderName } from '../../../src/business/tenders/words.js';
import type { dashboard, ResponseOf } from '../../client/operations.js';
import { IconAlertTriangle } from '../../ui/icons.js';
import { Money } from '../../ui/money.js';
import { Moment } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import type { SaleDetail } from './sale.js';

interface DisputeWarningProps {
  readonly sale: SaleDetail;
  readonly disputes: ResponseOf<typeof dashboard.quoteRefund>['disputes'];
  readonly isOverruled: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** A refund of disputed money needs a deliberate yes, because a lost dispute pays the buyer a second time. */
export function DisputeWarning({ sale, disputes, isOverruled, onChange }: DisputeWarningProps) {
  const { timezoneOf } = useBusiness();
  return (
    <Alert
      variant="light"
      color="red"
      icon={<IconAlertTriangle size={20} />}
      title="This money is disputed"
      role="status"
    >
      <Stack gap="sm">
        {disputes.map(({ id, tender_id, amount_money, placed_at }) => {
          const tender = sale.tenders.find((each) => each.id === tender_id);
          return (
            <Text key={id} inherit c="var(--mantine-color-text)">
              The buyer’s bank has held <Money value={amount_money} />
              {tender && !tender.is_exchange && ` of ${tenderName(tender)}`} since{' '}
              <Moment at={placed_at} timezone={timezoneOf(sale.location_id)} />. If you refund it and lose the dispute,
              you pay it twice.
            </Text>
          );
        })}
        <Checkbox
          label="Refund it all the same"
          checked={isOverruled}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      </Stack>
    </Alert>
  );
}
