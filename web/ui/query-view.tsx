/** Shows the result of a query in its state: loading, failed, empty, or full. */
import type { ReactNode } from 'react';
import { Failed, LoadingRows } from './states.js';

interface Result<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  refetch(): unknown;
}

interface QueryViewProps<Data> {
  readonly query: Result<Data>;
  readonly loading?: ReactNode;
  readonly isEmpty?: (data: Data) => boolean;
  readonly empty?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

export function QueryView<Data>({ query, loading, isEmpty, empty, children }: QueryViewProps<Data>) {
  if (query.data !== undefined) return isEmpty?.(query.data) ? empty : children(query.data);
  if (query.error) return <Failed error={query.error} onRetry={() => query.refetch()} />;
  return loading ?? <LoadingRows />;
}
