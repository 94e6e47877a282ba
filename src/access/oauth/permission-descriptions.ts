/** What the authorization page shows the owner for each permission. */
import type { Permission } from '../../identity/permissions.js';

export const PERMISSION_DESCRIPTIONS: Readonly<Record<Permission, string>> = {
  BANK_ACCOUNTS_READ: 'See your bank accounts, without their full numbers',
  CASH_DRAWER_READ: 'See your cash drawer shifts',
  CUSTOMERS_READ: 'See your customers',
  CUSTOMERS_WRITE: 'Add and change customers',
  EMPLOYEES_READ: 'See your employees and their roles',
  EMPLOYEES_WRITE: 'Add and change employees and roles',
  INVENTORY_READ: 'See your stock',
  INVENTORY_WRITE: 'Change your stock',
  ITEMS_READ: 'See your items',
  ITEMS_WRITE: 'Add and change items',
  MERCHANT_PROFILE_READ: 'See your business and its locations',
  MERCHANT_PROFILE_WRITE: 'Change your business and its locations',
  ORDERS_READ: 'See your orders',
  ORDERS_WRITE: 'Complete, cancel and refund orders',
  PAYMENTS_READ: 'See your payments and refunds',
  PAYMENTS_WRITE: 'Take payments and refund them',
  PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS: 'Keep a share of the payments it takes',
  PAYMENTS_WRITE_IN_PERSON: 'Take payments in person',
  SETTLEMENTS_READ: 'See your settlements',
  TIMECARDS_READ: 'See the timecards of your employees',
  TIMECARDS_SETTINGS_READ: 'See your settings for timecards',
  TIMECARDS_SETTINGS_WRITE: 'Change your settings for timecards',
  TIMECARDS_WRITE: 'Clock employees in and out, and change timecards',
};
