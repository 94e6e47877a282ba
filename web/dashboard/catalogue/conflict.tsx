/** Somebody else saved in between: shows what they changed, and lets the person choose. */
import { Alert, Button, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '../../ui/icons.js';
import type { Difference } from './words.js';

interface ConflictProps {
  readonly differences: readonly Difference[];
  /** Forgets what was typed, and shows what is saved now. */
  readonly onTake: () => void;
  /** Replaces what is saved now with what was typed. */
  readonly onKeep: () => void;
}

export function Conflict({ differences, onTake, onKeep }: ConflictProps) {
  return (
    <Alert
      role="alert"
      variant="light"
      color="yellow"
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
      icon={<IconAlertTriangle size={20} />}
      title="Somebody changed this item while you were editing it"
    >
      <Text size="sm" mb="xs" c="var(--mantine-color-text)">
        Nothing was overwritten. This changed since you opened the page:
      </Text>
      <List size="sm" spacing={4} mb="sm" c="var(--mantine-color-text)">
        {differences.map(({ field, before, after }) => (
          <List.Item key={field} style={{ overflowWrap: 'anywhere' }}>
            <b>{field}</b>: {before} → {after}
          </List.Item>
        ))}
      </List>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onTake}>
          Show their version
        </Button>
        <Button size="xs" onClick={onKeep}>
          Save mine instead
        </Button>
      </Group>
    </Alert>
  );
}
