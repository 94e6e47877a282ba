/** Who is signed in. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call, callOnce } from '../../client/call.js';
import { untilConnected } from '../../client/connection.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { Problem } from '../../client/problem.js';
import { createStore } from '../../client/store.js';

type Session = ResponseOf<typeof dashboard.showSession>;

const KEY = ['showSession'];

/** Counts the repeated sign-ins on this page. Live changes start again after each, even if the session looks the same as before. */
export const repeatedSignIns = createStore(0);

/** `null` if nobody is signed in. The person is not asked by a dialog: there is nothing to lose yet. */
async function findSession(): Promise<Session | null> {
  for (;;) {
    try {
      return await callOnce(dashboard.showSession);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status === 401) return null;
      if (!error.isOutage) throw error;
      await untilConnected();
    }
  }
}

export function useSession() {
  return useQuery({ queryKey: KEY, queryFn: findSession, staleTime: Number.POSITIVE_INFINITY });
}

export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(async () => {
    await call(dashboard.signOut);
    queries.setQueryData(KEY, null);
    queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== KEY[0] });
  }, [queries]);
}

/** After somebody signed in again: another business must not see what was loaded before. */
export function useSignedInAgain(): (session: Session) => void {
  const queries = useQueryClient();
  return (session) => {
    const before = queries.getQueryData<Session | null>(KEY);
    if (before && before.merchant_id !== session.merchant_id) return location.reload();
    queries.setQueryData(KEY, session);
    repeatedSignIns.set(repeatedSignIns.get() + 1);
  };
}
