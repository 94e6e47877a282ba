/** Waits until the person at a register has agreed that it is paired. */
import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useWholeList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { Dialog } from '../../ui/dialog.js';
import { useSaved } from '../../ui/save.js';
import { useBusiness } from '../business.js';

export type AskedDevice = ResponseOf<typeof dashboard.pairDeviceByCode>['device'];

interface AskedModalProps {
  readonly device: AskedDevice;
  readonly onClose: () => void;
}

export function AskedModal({ device: { id, name, location_id }, onClose }: AskedModalProps) {
  const { name: business, locationName } = useBusiness();
  const { rows } = useWholeList(dashboard.listDevices, {}, ({ devices }) => devices);
  const isPaired = rows?.some((device) => device.id === id) ?? false;
  const saved = useSaved();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is paired
  useEffect(() => {
    if (!isPaired) return;
    void saved(`${name} is paired`);
    onClose();
  }, [isPaired]);
  return (
    <Dialog title="Now answer on the register" closeOnClickOutside={false} onClose={onClose}>
      <Stack gap="md">
        <Text>
          It asks “Pair this register with {business}, {locationName(location_id)}?”. Tap <strong>Yes, pair it</strong>{' '}
          there.
        </Text>
        <Group gap="sm" wrap="nowrap" role="status">
          <Loader size="xs" />
          <Text size="sm" c="dimmed">
            Waiting for the answer, at most ten minutes.
          </Text>
        </Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
