/** A list that only the server has, in its four states. Without a network it says why the list is missing. */
import type { ReactNode } from 'react';
import { useStore } from '../../client/store.js';
import { IconCloudOff } from '../../ui/icons.js';
import { QueryView } from '../../ui/query-view.js';
import { Empty } from '../../ui/states.js';
import { isOnline } from '../core/connection.js';

interface OnlineViewProps<Item> {
  readonly query: Parameters<typeof QueryView<readonly Item[]>>[0]['query'];
  readonly empty: ReactNode;
  /** `Open sales need the network`. */
  readonly offlineTitle: string;
  readonly offlineText: string;
  readonly children: (found: readonly Item[]) => ReactNode;
}

export function OnlineView<Item>({ query, empty, offlineTitle, offlineText, children }: OnlineViewProps<Item>) {
  const online = useStore(isOnline);
  if (!online && !query.data) {
    return (
      <Empty icon={IconCloudOff} title={offlineTitle}>
        {offlineText}
      </Empty>
    );
  }
  return (
    <QueryView query={query} isEmpty={(found) => found.length === 0} empty={empty}>
      {children}
    </QueryView>
  );
}
