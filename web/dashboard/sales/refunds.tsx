/** The refunds of a sale with their breakdown. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { tenderName } from '../../../src/business/tenders/words.js';
import { CopyId } from '../../ui/copy-id.js';
import { Money, printMoney } from '../../ui/money.js';
import { Card } from '../../ui/states.js';
import { Tag, type Tone } from '../../ui/tag.js';
import { TextLink } from '../../ui/text-link.js';
import { Moment } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import type { Refund, SaleDetail } from './sale.js';

export function Refunds({ sale }: { readonly sale: SaleDetail }) {
  if (sale.refunds.length === 0) return null;
  return (
    <Card padded>
      <Title order={2} size="h5" mb="sm">
        Refunds
      </Title>
      <Stack gap="md">
        {sale.refunds.toReversed().map((refund) => (
          <RefundView key={refund.id} refund={refund} sale={sale} />
        ))}
      </Stack>
    </Card>
  );
}

const STATES: Readonly<Record<Refund['status'], { readonly label: string; readonly tone: Tone }>> = {
  PENDING: { label: 'On its way', tone: 'warning' },
  COMPLETED: { label: 'Returned', tone: 'good' },
  REJECTED: { label: 'Rejected', tone: 'bad' },
  FAILED: { label: 'Failed', tone: 'bad' },
};

/** The sale that the goods paid was canceled. */
const UNDONE = { label: 'Undone', tone: 'quiet' } as const;

/** Who made a refund, in words. */
export function useAuthor(): (refund: Refund) => string {
  const { nameOf } = usePeople();
  return ({ made_by, employee_id }) =>
    made_by === 'OWNER' ? 'by the owner' : made_by === 'EMPLOYEE' ? `by ${nameOf(employee_id)}` : 'by an application';
}

function partsOf(refund: Refund): string[] {
  const parts = [
    ['taxes', refund.tax_money],
    ['tip', refund.tip_money],
    ['surcharges', refund.surcharge_money],
  ] as const;
  return parts.filter(([, money]) => money.amount > 0).map(([name, money]) => `${name} ${printMoney(money)}`);
}

function RefundView({ refund, sale }: { readonly refund: Refund; readonly sale: SaleDetail }) {
  const { timezoneOf } = useBusiness();
  const author = useAuthor();
  const tender = sale.tenders.find(({ id }) => id === refund.tender_id);
  const { label, tone } = refund.is_exchange && refund.status === 'FAILED' ? UNDONE : STATES[refund.status];
  const parts = partsOf(refund);
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap" gap="md">
      <Stack gap={2} miw={0}>
        <Group gap="xs">
          <Text fw={550}>
            {refund.is_exchange
              ? 'Exchanged'
              : refund.is_reversal
                ? 'Reversed'
                : `To ${tender ? tenderName(refund.returned_to ?? tender) : ''}`}
          </Text>
          <Tag tone={tone}>{label}</Tag>
        </Group>
        {refund.returned_to && (
          <Text size="sm" c="dimmed">
            What was paid for the{' '}
            <TextLink to={`/dashboard/sales/${refund.returned_to.sale_id}`}>returned goods</TextLink>
          </Text>
        )}
        {refund.items.map(({ line, quantity }) => (
          <Text key={line} size="sm">
            {quantity !== 1 && `${quantity} × `}
            {sale.receipt?.items[line]?.name}
          </Text>
        ))}
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <Moment at={refund.created_at} timezone={timezoneOf(sale.location_id)} /> {author(refund)}
          {refund.reason && ` · ${refund.reason}`}
        </Text>
        {parts.length > 0 && (
          <Text size="sm" c="dimmed">
            With {parts.join(', ')}
          </Text>
        )}
        <CopyId id={refund.id} label="refund id" />
      </Stack>
      <Money value={refund.amount_money} fw={550} />
    </Group>
  );
}
