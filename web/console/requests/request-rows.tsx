/** The rows of the list of requests. */
import { Text } from '@mantine/core';
import type { ResponseOf } from '../../client/operations.js';
import type { sandbox } from '../../client/sandbox-operations.js';
import type { Search } from '../../ui/address.js';
import { Link } from '../../ui/link.js';
import { Tag } from '../../ui/tag.js';
import { merchantName, useMerchants } from '../merchants.js';
import { StatusBadge } from '../status-badge.js';
import { ClockTime } from './clock-time.js';
import classes from './requests.module.css';

export type RequestSummary = ResponseOf<typeof sandbox.listRequests>['requests'][number];

export const SENDER_WORDS: Readonly<Record<NonNullable<RequestSummary['sent_by']>, string>> = {
  console: 'this console',
  docs: 'the docs',
  command: 'a command',
  mcp: 'an assistant',
  trigger: 'a triggered event',
};

interface RequestRowsProps {
  readonly rows: readonly RequestSummary[];
  readonly chosen: string | undefined;
}

export function RequestRows({ rows, chosen }: RequestRowsProps) {
  return (
    <ul className={classes['rows']} aria-label="Requests">
      {rows.map((row) => (
        <li key={row.id}>
          <Row row={row} isChosen={row.id === chosen} />
        </li>
      ))}
    </ul>
  );
}

function Row({ row, isChosen }: { readonly row: RequestSummary; readonly isChosen: boolean }) {
  const { data: merchants } = useMerchants();
  return (
    <Link
      to="."
      search={(before: Search) => ({ ...before, request: row.id })}
      className={classes['row'] ?? ''}
      aria-current={isChosen}
      resetScroll={false}
    >
      <span className={classes['status']}>
        <StatusBadge status={row.status} />
      </span>
      <span className={classes['what']}>
        <Text span inherit fw={600} truncate>
          {row.operation ?? row.not_implemented ?? `${row.method} ${row.path}`}
        </Text>
        <Text span size="xs" c="dimmed" truncate>
          {row.error ?? `${row.method} ${row.path}`}
        </Text>
      </span>
      <span className={classes['when']}>
        <ClockTime at={row.at} />
        <Text span size="xs" c="dimmed" truncate>
          {row.merchant_id !== undefined && (
            <span className={classes['merchant']}>{merchantName(merchants, row.merchant_id)} · </span>
          )}
          {row.duration_ms} ms
        </Text>
      </span>
      {(row.fault ?? row.stub ?? row.ignored ?? row.resent_from ?? row.sent_by) !== undefined && (
        <span className={classes['tags']}>
          {row.sent_by !== undefined && <Tag tone="quiet">sent by {SENDER_WORDS[row.sent_by]}</Tag>}
          {row.fault !== undefined && <Tag tone="warning">{row.fault.split(' ')[1]} injected</Tag>}
          {row.stub !== undefined && <Tag tone="quiet">stub</Tag>}
          {row.ignored !== undefined && <Tag tone="warning">ignored {row.ignored.join(', ')}</Tag>}
          {row.resent_from !== undefined && <Tag tone="quiet">sent again</Tag>}
        </span>
      )}
    </Link>
  );
}
