/** The frame of a page: its title, what can be done on it, and its content. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Above the title: the way back. */
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, description, above, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} - Tillhouse`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        {above}
        <Group justify="space-between" align="flex-end" gap="sm">
          <Stack gap={2} style={{ minWidth: 0, flex: '1 1 240px' }}>
            <Title order={1} size="1.5rem" style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {description && (
              <Text c="dimmed" maw={680}>
                {description}
              </Text>
            )}
          </Stack>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      </Stack>
      {children}
    </Stack>
  );
}
