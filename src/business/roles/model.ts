/** Defines roles: named sets of permissions at the register. */
import type { Instant } from '../../base/time.js';
import type { RegisterPermission } from '../../identity/permissions.js';

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly RegisterPermission[];
  /** Grants every permission at the register, regardless of `permissions` (decision 0051). */
  readonly isOwner: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface RoleChanges {
  readonly name?: string | undefined;
  readonly permissions?: readonly RegisterPermission[] | undefined;
  readonly isOwner?: boolean | undefined;
}
