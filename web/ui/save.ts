/** What follows a change: the lists that show it are loaded again, and a note says what happened. */
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { asProblem } from '../client/problem.js';

/** Returns a function that announces a change and reloads everything that is on screen. */
export function useSaved(): (message: string) => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    async (message) => {
      notifications.show({ message, color: 'juniper', autoClose: 4000 });
      await queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== 'showSession' });
    },
    [queries],
  );
}

/** Returns a function that makes a change without a dialog, and announces its success or failure. */
export function useAct(): <Result>(
  change: () => Promise<Result>,
  message: string | ((result: Result) => string),
) => Promise<void> {
  const saved = useSaved();
  return useCallback(
    async (change, message) => {
      try {
        const result = await change();
        await saved(typeof message === 'string' ? message : message(result));
      } catch (error) {
        const { message: reason } = asProblem(error);
        notifications.show({ title: 'This did not work', message: reason, color: 'red' });
      }
    },
    [saved],
  );
}
