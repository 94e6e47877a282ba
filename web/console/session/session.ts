/** Whether this browser is signed in to the console. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call, callOnce } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';

const KEY = ['showSession'];

export function useSession() {
  return useQuery({ queryKey: KEY, queryFn: () => call(sandbox.showSession), staleTime: Number.POSITIVE_INFINITY });
}

/** Signs in with the operator key, or without a key where the server allows it. */
export function useSignIn(): (key?: string) => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    async (key) => {
      await callOnce(sandbox.signIn, key === undefined ? {} : { operator_key: key });
      await queries.resetQueries();
    },
    [queries],
  );
}

export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(async () => {
    await callOnce(sandbox.signOut);
    await queries.resetQueries();
  }, [queries]);
}
