/** The roles of the business, for names and choices. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { useBusiness } from '../business.js';

export type Role = ResponseOf<typeof dashboard.listRoles>['roles'][number];

async function listAllRoles(): Promise<readonly Role[]> {
  const all: Role[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await call(dashboard.listRoles, { limit: 200, cursor });
    all.push(...page.roles);
    cursor = page.cursor;
  }
  return all;
}

export interface Roles {
  readonly all: readonly Role[];
  find(id: string | undefined): Role | undefined;
  /** Empty without a role. */
  nameOf(id: string | undefined): string;
}

export function useRoles(): Roles {
  const { isApproved } = useBusiness();
  const { data: all = [] } = useQuery({
    queryKey: ['listRoles', 'all'],
    queryFn: listAllRoles,
    enabled: isApproved,
    staleTime: 60_000,
  });
  const find = (id: string | undefined) => all.find((role) => role.id === id);
  return { all, find, nameOf: (id) => (id === undefined ? '' : (find(id)?.name ?? id)) };
}
