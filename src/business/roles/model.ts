/** What a role is: a name for a set of permissions at the register. */
import type { Instant } from '../../base/time.js';

export const ROLE_PERMISSIONS = [
  'REGISTER_ACCESS_SALES_HISTORY',
  'REGISTER_APPLY_RESTRICTED_DISCOUNTS',
  'REGISTER_CHANGE_SETTINGS',
  'REGISTER_EDIT_ITEM',
  'REGISTER_ISSUE_REFUNDS',
  'REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE',
  'REGISTER_VIEW_SUMMARY_REPORTS',
] as const;

export type RolePermission = (typeof ROLE_PERMISSIONS)[number];

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly RolePermission[];
  /** Grants every permission at the register, whatever the list says (decision 0051). */
  readonly isOwner: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface RoleChanges {
  readonly name?: string | undefined;
  readonly permissions?: readonly RolePermission[] | undefined;
  readonly isOwner?: boolean | undefined;
}
