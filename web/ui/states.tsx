/** The states of a page besides the full one: loading, empty, and failed. */
import { Button, Code, CopyButton, Group, Paper, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { asProblem } from '../client/problem.js';
import type { Icon } from './icon.js';
import { IconAlertTriangle, IconRefresh } from './icons.js';

/** Placeholders in the shape of the table that is loading. */
export function LoadingRows({ rows = 6 }: { readonly rows?: number }) {
  return (
    <Stack gap={0} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all the same
        <Group key={row} h={48} px="md" gap="xl" wrap="nowrap">
          <Skeleton height={12} width="22%" radius="xl" />
          <Skeleton height={12} width="34%" radius="xl" />
          <Skeleton height={12} width="14%" radius="xl" ml="auto" />
        </Group>
      ))}
    </Stack>
  );
}

export function LoadingBlock({ height = 140 }: { readonly height?: number }) {
  return <Skeleton height={height} radius="lg" role="status" aria-label="Loading" />;
}

export interface EmptyProps {
  readonly icon: Icon;
  readonly title: string;
  /** What this is, and what to do first. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" data-state="empty">
      <ThemeIcon size={56} radius="xl" variant="light">
        <Icon size={28} stroke={1.5} />
      </ThemeIcon>
      <Title order={2} size="h4" mt="xs" ta="center">
        {title}
      </Title>
      <Text c="dimmed" maw={460} ta="center">
        {children}
      </Text>
      {action && <Group mt="sm">{action}</Group>}
    </Stack>
  );
}

export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const problem = asProblem(error);
  return (
    <Stack align="center" gap="xs" py={48} px="md" role="alert" data-state="error">
      <ThemeIcon size={56} radius="xl" variant="light" color="red">
        <IconAlertTriangle size={28} stroke={1.5} />
      </ThemeIcon>
      <Title order={2} size="h4" mt="xs">
        This could not be shown
      </Title>
      <Text c="dimmed" maw={520} ta="center" style={{ overflowWrap: 'anywhere' }}>
        {problem.message}
      </Text>
      <Button mt="sm" variant="default" leftSection={<IconRefresh size={18} />} onClick={onRetry}>
        Try again
      </Button>
      {problem.requestId !== undefined && <RequestId id={problem.requestId} />}
    </Stack>
  );
}

/** The server's log has the request under this id. */
function RequestId({ id }: { readonly id: string }) {
  return (
    <Group gap={6} mt="xs" justify="center">
      <Text size="xs" c="dimmed">
        Request
      </Text>
      <Code>{id}</Code>
      <CopyButton value={id}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="subtle" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

/** A white area with a thin line around it, for tables and groups of facts. */
export function Card({ children, padded = false }: { readonly children: ReactNode; readonly padded?: boolean }) {
  return (
    <Paper radius="lg" withBorder p={padded ? 'lg' : 0} style={{ overflow: 'hidden' }}>
      {children}
    </Paper>
  );
}
