/** On the page of a sale: why it is flagged, and the way to mark it as reviewed. */
import { Button, Group, List, Text } from '@mantine/core';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { Notice } from '../../ui/notice.js';
import { useAct } from '../../ui/save.js';
import { Moment } from '../../ui/time.js';
import { type FlaggedWrite, operationName, toReviewed } from './write.js';

interface SaleFlagsProps {
  readonly writes: readonly FlaggedWrite[];
  readonly timezone: string;
}

export function SaleFlags({ writes, timezone }: SaleFlagsProps) {
  const act = useAct();
  if (writes.length === 0) return null;
  const open = writes.filter(({ is_open }) => is_open);
  const reviewed = writes.findLast(({ reviewed_at }) => reviewed_at !== undefined)?.reviewed_at;
  const late = writes.find(({ occurred_at, arrived_at }) => arrived_at !== occurred_at);
  const reasons = (
    <List size="sm" my="xs">
      {writes.flatMap((write) =>
        write.flags.map(({ code, detail }) => (
          <List.Item key={`${write.write_id} ${code}`}>
            {write.operation === 'ringUpSale' ? detail : `${operationName(write)}: ${detail}`}
          </List.Item>
        )),
      )}
    </List>
  );
  if (open.length === 0) {
    return (
      <Text component="div" size="sm" c="dimmed">
        {late && (
          <>
            The register was offline and sent it on <Moment at={late.arrived_at} timezone={timezone} />.
          </>
        )}
        {reviewed !== undefined && (
          <>
            {' '}
            Reviewed on <Moment at={reviewed} timezone={timezone} />.
          </>
        )}
        {reasons}
      </Text>
    );
  }
  return (
    <Notice tone="warning" title="This sale needs review">
      {late && (
        <>
          It happened while the register was offline, and arrived on <Moment at={late.arrived_at} timezone={timezone} />
          . It is recorded as it happened.
        </>
      )}
      {reasons}
      <Group>
        <Button
          size="xs"
          variant="default"
          onClick={() => act(() => call(dashboard.markReviewed, toReviewed(open)), 'Marked as reviewed')}
        >
          Mark reviewed
        </Button>
      </Group>
    </Notice>
  );
}
