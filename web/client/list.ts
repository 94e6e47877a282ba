/** Lists of the server, page by page or as a whole. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { call } from './call.js';
import type { Callable, InputOf, ResponseOf } from './operations.js';

/** What a table shows. */
export interface List<Row> {
  /** Undefined while the first page is loading. */
  readonly rows: readonly Row[] | undefined;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  refetch(): unknown;
  loadMore(): unknown;
  /** The whole list, for sorting and for files. */
  loadAll(): Promise<readonly Row[]>;
}

interface WirePage {
  readonly cursor?: string;
}

const SHOWN_ROWS = 50;
/** The largest page of most lists. */
const FETCHED_ROWS = 200;

type Filters<Operation> = Omit<InputOf<Operation>, 'cursor' | 'limit'>;

/** A list that the server returns in pages. */
export function usePagedList<Operation extends Callable, Row>(
  operation: Operation,
  filters: Filters<Operation>,
  pick: (page: ResponseOf<Operation>) => readonly Row[],
): List<Row> {
  const fetchPage = (cursor: string | undefined, limit: number): Promise<ResponseOf<Operation>> =>
    call(operation as Callable, { ...filters, cursor, limit } as never) as Promise<ResponseOf<Operation>>;
  const query = useInfiniteQuery({
    queryKey: [operation.name, 'in pages', filters], // the same list as a whole has another shape, and so another key
    queryFn: ({ pageParam }) => fetchPage(pageParam, SHOWN_ROWS),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page as WirePage).cursor,
  });
  return {
    rows: query.data?.pages.flatMap(pick),
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    refetch: query.refetch,
    loadMore: query.fetchNextPage,
    async loadAll() {
      const rows: Row[] = [];
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
        const page: ResponseOf<Operation> = await fetchPage(cursor, FETCHED_ROWS);
        rows.push(...pick(page));
        cursor = (page as WirePage).cursor;
      }
      return rows;
    },
  };
}

/** A list that the server returns as a whole. */
export function useWholeList<Operation extends Callable, Row>(
  operation: Operation,
  input: InputOf<Operation>,
  pick: (response: ResponseOf<Operation>) => readonly Row[],
): List<Row> {
  const query = useQuery({
    queryKey: [operation.name, input],
    queryFn: () => call(operation as Callable, input as never) as Promise<ResponseOf<Operation>>,
  });
  const rows = query.data === undefined ? undefined : pick(query.data);
  return {
    rows,
    error: query.error,
    hasMore: false,
    isLoadingMore: false,
    refetch: query.refetch,
    loadMore: () => undefined,
    loadAll: async () => rows ?? [],
  };
}
