/** What each permission of a role allows at a register, in words. */
import type { RegisterPermission } from '../../src/identity/permissions.js';

export const REGISTER_PERMISSION_WORDS: Readonly<Record<RegisterPermission, string>> = {
  REGISTER_ACCESS_SALES_HISTORY: 'See past sales',
  REGISTER_APPLY_RESTRICTED_DISCOUNTS: 'Give restricted discounts',
  REGISTER_CHANGE_SETTINGS: 'Change the settings of the register',
  REGISTER_EDIT_ITEM: 'Edit items of the catalogue',
  REGISTER_ISSUE_REFUNDS: 'Refund sales',
  REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE: 'Open the cash drawer without a sale',
  REGISTER_VIEW_SUMMARY_REPORTS: 'See reports and totals',
};

export const ALL_REGISTER_PERMISSIONS = Object.keys(REGISTER_PERMISSION_WORDS) as readonly RegisterPermission[];

/** What every employee may do without a permission. */
export const WITHOUT_PERMISSION = 'Everybody can clock in and take payments.';

export function describeRole(role: {
  readonly permissions: readonly RegisterPermission[];
  readonly is_owner: boolean;
}): string {
  if (role.is_owner) return 'Everything at the register';
  if (role.permissions.length === 0) return 'Only take payments';
  const [first = '', ...rest] = role.permissions.map((permission) => REGISTER_PERMISSION_WORDS[permission]);
  return [first, ...rest.map((words) => words.charAt(0).toLowerCase() + words.slice(1))].join(', ');
}
