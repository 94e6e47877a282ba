/** What a role is: a name for a set of permissions at the register. */
import type { Instant } from '../../base/time.js';
import type { RegisterPermission } from '../../identity/permissions.js';

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly RegisterPermission[];
  /** Grants every permission at the register, whatever the list says (decision 0051). */
  readonly isOwner: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface RoleChanges {
  readonly name?: string | undefined;
  readonly permissions?: readonly RegisterPermission[] | undefined;
  readonly isOwner?: boolean | undefined;
}
