/** Does something that the server may refuse, and shows whether it was done. */
import { notifications } from '@mantine/notifications';
import { useCallback, useState } from 'react';
import { asProblem } from '../../client/problem.js';
import { Elsewhere } from '../core/elsewhere.js';
import { announce } from './announce.js';

/** Shows what was done, or why it was not. Resolves to whether it was done. */
export function useAttempt() {
  const [isBusy, setBusy] = useState(false);
  const attempt = useCallback(async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
    setBusy(true);
    try {
      await work();
      if (done !== undefined) notifications.show({ message: done });
      return true;
    } catch (error) {
      if (error instanceof Elsewhere) {
        announce(error.message);
        return error.isOver;
      }
      notifications.show({ color: 'red', title: 'Not done', message: asProblem(error).message, autoClose: 8000 });
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  return { attempt, isBusy };
}
