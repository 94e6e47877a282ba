/** The rules that are in force, each with the number of uses that are left. */
import { ActionIcon, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconX } from '../../ui/icons.js';
import { Tag } from '../../ui/tag.js';

export interface ShownRule {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly remaining: number;
}

interface RuleListProps {
  readonly rules: readonly ShownRule[];
  readonly none: string;
  readonly onRemove: (id: string) => void;
}

export function RuleList({ rules, none, onRemove }: RuleListProps) {
  if (rules.length === 0) {
    return (
      <Text c="dimmed" data-state="empty">
        {none}
      </Text>
    );
  }
  return (
    <Stack gap="sm" component="ul" data-state="full" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
      {rules.map(({ id, title, detail, remaining }) => (
        <li key={id}>
          <Group justify="space-between" wrap="nowrap" gap="sm">
            <Stack gap={0} style={{ minWidth: 0 }}>
              <Text fw={600}>{title}</Text>
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {detail}
              </Text>
            </Stack>
            <Group gap="xs" wrap="nowrap">
              <Tag tone="warning">{remaining} left</Tag>
              <Tooltip label="Remove">
                <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${title}`} onClick={() => onRemove(id)}>
                  <IconX size={18} />
                </ActionIcon>
              </Tooltip>
            </Group>
          </Group>
        </li>
      ))}
    </Stack>
  );
}
