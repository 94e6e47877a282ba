/** The bar that is visible while the server does not respond. */
import { Group, Loader, Text } from '@mantine/core';
import { isConnected } from '../client/connection.js';
import { useStore } from '../client/store.js';
import classes from './connection-bar.module.css';

export function ConnectionBar() {
  if (useStore(isConnected)) return null;
  return (
    <Group className={classes['bar'] ?? ''} role="status" gap="sm" justify="center" wrap="nowrap">
      <Loader size={16} color="var(--warning-text)" />
      <Text size="sm" fw={600} c="inherit">
        The server does not respond. Trying again; nothing that you typed is lost.
      </Text>
    </Group>
  );
}
