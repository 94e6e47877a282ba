/** Loads again what is on screen as soon as the server has something new. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { watchConsole } from '../client/console-changes.js';

/** A program under test sends many requests at once. */
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
        // What failed waits for the person, and one request does not change any more, but for the events that follow it.
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
