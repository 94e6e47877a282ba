/** On the home page: how many writes of registers the owner should review. It is not shown if there are none. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { Notice } from '../../ui/notice.js';
import { TextLink } from '../../ui/text-link.js';

const COUNTED = 100;

export function FlaggedNotice() {
  const { data } = useQuery({
    queryKey: ['listFlaggedWrites', 'count'],
    queryFn: () => call(dashboard.listFlaggedWrites, { limit: COUNTED }),
  });
  const writes = data?.writes ?? [];
  if (writes.length === 0) return null;
  const sales = new Set(writes.flatMap(({ sale_id }) => sale_id ?? [])).size;
  const others = writes.filter(({ sale_id }) => sale_id === undefined).length;
  return (
    <Notice
      tone="warning"
      title={`${printCounts(sales, others)}${data?.cursor ? ' and more' : ''} need review`.replace(
        /^(1 \D+) need/,
        '$1 needs',
      )}
    >
      They happened at registers, and you may want to know about them.{' '}
      <TextLink to="/dashboard/flagged">Review them</TextLink>
    </Notice>
  );
}

function printCounts(sales: number, others: number): string {
  const parts = [count(sales, 'sale'), count(others, 'other entry', 'other entries')];
  return parts.filter(Boolean).join(' and ');
}

function count(number: number, one: string, many = `${one}s`): string {
  return number === 0 ? '' : `${number} ${number === 1 ? one : many}`;
}
