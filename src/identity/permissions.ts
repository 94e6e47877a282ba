/** The permissions that an application can be granted. Some of them are accepted although no operation requires them. */

export const PERMISSIONS = [
  'BANK_ACCOUNTS_READ',
  'CASH_DRAWER_READ',
  'CUSTOMERS_READ',
  'CUSTOMERS_WRITE',
  'EMPLOYEES_READ',
  'EMPLOYEES_WRITE',
  'INVENTORY_READ',
  'INVENTORY_WRITE',
  'ITEMS_READ',
  'ITEMS_WRITE',
  'MERCHANT_PROFILE_READ',
  'MERCHANT_PROFILE_WRITE',
  'ORDERS_READ',
  'ORDERS_WRITE',
  'PAYMENTS_READ',
  'PAYMENTS_WRITE',
  'PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS',
  'PAYMENTS_WRITE_IN_PERSON',
  'SETTLEMENTS_READ',
  'TIMECARDS_READ',
  'TIMECARDS_SETTINGS_READ',
  'TIMECARDS_SETTINGS_WRITE',
  'TIMECARDS_WRITE',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

export function isPermission(word: string): word is Permission {
  return (PERMISSIONS as readonly string[]).includes(word);
}

/** What a role can allow an employee at a register (contract 2). Every employee may take payments. */
export const REGISTER_PERMISSIONS = [
  'REGISTER_ACCESS_SALES_HISTORY',
  'REGISTER_APPLY_RESTRICTED_DISCOUNTS',
  'REGISTER_CHANGE_SETTINGS',
  'REGISTER_EDIT_ITEM',
  'REGISTER_ISSUE_REFUNDS',
  'REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE',
  'REGISTER_VIEW_SUMMARY_REPORTS',
] as const;

export type RegisterPermission = (typeof REGISTER_PERMISSIONS)[number];
