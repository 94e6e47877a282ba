/** Reloads what is on screen when something changes on the server. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { watchConsole } from '../client/console-changes.js';

/** A program under test sends many requests at once: one reload is enough for all of them. */
const PAUSE_MS = 400;

export function useLiveConsole(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let timer: number | undefined;
    let isRequestOnly = true;
    const refresh = (): void => {
      timer = undefined;
      const only = isRequestOnly;
      isRequestOnly = true;
      void queries.invalidateQueries(
        // Failed queries wait for the person. A new request changes only the list: the page of a request changes only with its events.
        { predicate: ({ queryKey: [name], state }) => state.data !== undefined && (!only || name === 'listRequests') },
        { cancelRefetch: false },
      );
    };
    const unwatch = watchConsole((topics) => {
      isRequestOnly &&= topics.every((topic) => topic === 'requests');
      timer ??= window.setTimeout(refresh, PAUSE_MS);
    });
    return () => {
      unwatch();
      window.clearTimeout(timer);
    };
  }, [queries]);
}
