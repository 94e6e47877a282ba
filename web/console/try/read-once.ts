/** For queries whose result does not change. Reading them again would fill the list of requests. */
import type { Query } from '@tanstack/react-query';

export const READ_ONCE = {
  // biome-ignore lint/suspicious/noExplicitAny: for queries of all types
  enabled: ({ state }: Query<any, any, any, any>) => state.data === undefined,
  gcTime: 0,
};
