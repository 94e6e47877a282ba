/** What paid for a sale, and how much of it can still be refunded. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { tenderName } from '../../../src/business/tenders/words.js';
import { CopyId } from '../../ui/copy-id.js';
import { Money } from '../../ui/money.js';
import { Card } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import type { SaleDetail, SaleTender } from './sale.js';

export function Tenders({ sale: { tenders } }: { readonly sale: SaleDetail }) {
  if (tenders.length === 0) return null;
  return (
    <Card padded>
      <Title order={2} size="h5" mb="sm">
        {tenders.length === 1 ? 'Tender' : 'Tenders'}
      </Title>
      <Stack gap="md">
        {tenders.map((tender) => (
          <Tender key={tender.id} tender={tender} />
        ))}
      </Stack>
    </Card>
  );
}

const ENTRY: Readonly<Record<string, string>> = { SWIPED: 'Card present', MANUAL: 'Typed in' };

function Tender({ tender }: { readonly tender: SaleTender }) {
  const { tendered_money: given, refundable_money: left, entry_method: entry } = tender;
  const notes = [
    `Receipt #${tender.receipt_number}`,
    tender.type === 'CARD' ? (ENTRY[entry ?? ''] ?? 'Online') : undefined,
    tender.note,
  ].filter(Boolean);
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap" gap="md">
      <Stack gap={2} miw={0}>
        <Group gap="xs">
          <Text fw={550}>{tenderName(tender)}</Text>
          {tender.refunds_blocked && <Tag tone="bad">Not refundable: a refund failed</Tag>}
        </Group>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {notes.join(' · ')}
        </Text>
        <CopyId id={tender.id} label="tender id" />
      </Stack>
      <Stack gap={2} ta="right" style={{ flex: 'none' }}>
        <Money value={tender.total_money} fw={550} />
        <Text size="sm" c="dimmed">
          {given && given.amount > tender.total_money.amount ? (
            <>
              <Money value={given} /> given
            </>
          ) : (
            <>
              <Money value={left} /> refundable
            </>
          )}
        </Text>
      </Stack>
    </Group>
  );
}
