/** A part of the home page: a short list with a link to the whole one. It can be loading, failed, empty or full. */
import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from '../../ui/link.js';
import { Card, Failed, LoadingRows } from '../../ui/states.js';
import classes from './panel.module.css';

export interface PanelItem {
  readonly key: string;
  readonly title: ReactNode;
  readonly note: ReactNode;
  readonly value: ReactNode;
  readonly valueNote?: ReactNode;
}

interface PanelProps<Row> {
  readonly title: string;
  readonly to: string;
  readonly link: string;
  readonly query: { readonly data: readonly Row[] | undefined; readonly error: unknown; refetch(): unknown };
  readonly toItem: (row: Row) => PanelItem;
  readonly empty: string;
}

export function Panel<Row>({ title, to, link, query, toItem, empty }: PanelProps<Row>) {
  const items = query.data?.map(toItem);
  return (
    <Card padded>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        <Link to={to} className={classes['link'] ?? ''}>
          {link}
        </Link>
      </Group>
      {items === undefined && query.error ? (
        <Failed error={query.error} onRetry={() => query.refetch()} />
      ) : items === undefined ? (
        <LoadingRows rows={3} />
      ) : items.length === 0 ? (
        <Text c="dimmed" py="md" data-state="empty">
          {empty}
        </Text>
      ) : (
        <ul className={classes['items']} data-state="full">
          {items.map(({ key, title: name, note, value, valueNote }) => (
            <li key={key} className={classes['item']}>
              <Stack gap={0} miw={0}>
                <Text span truncate>
                  {name}
                </Text>
                <Text span size="sm" c="dimmed">
                  {note}
                </Text>
              </Stack>
              <Stack gap={0} ta="right" style={{ flex: 'none' }}>
                <Text span>{value}</Text>
                <Text span size="sm" c="dimmed">
                  {valueNote}
                </Text>
              </Stack>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
