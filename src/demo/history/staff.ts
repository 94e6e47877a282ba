/** Generates the employees and roles of a business. */
import type { Ids } from '../../base/ids.js';
import { DAY_MS, instant, wholeSecond } from '../../base/time.js';
import type { Employee } from '../../business/employees/model.js';
import { insertEmployee } from '../../business/employees/queries.js';
import type { Location, Merchant } from '../../business/merchants/model.js';
import type { Role } from '../../business/roles/model.js';
import { insertRole } from '../../business/roles/queries.js';
import type { Tx } from '../../database/database.js';
import { REGISTER_PERMISSIONS } from '../../identity/permissions.js';

const ROLES = {
  owner: { name: 'Owner', permissions: REGISTER_PERMISSIONS, isOwner: true },
  manager: {
    name: 'Manager',
    permissions: REGISTER_PERMISSIONS.filter((permission) => permission !== 'REGISTER_CHANGE_SETTINGS'),
    isOwner: false,
  },
  cashier: {
    name: 'Cashier',
    permissions: [
      'REGISTER_APPLY_RESTRICTED_DISCOUNTS',
      'REGISTER_ISSUE_REFUNDS',
      'REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE',
    ],
    isOwner: false,
  },
} as const;

export type RoleName = keyof typeof ROLES;

/** First name, last name, role, indexes of the locations, and whether the person has left. */
export type Person = readonly [string, string, RoleName | null, readonly number[], 'left'?];

/** The domain of email addresses, and the prefix of external ids. */
export interface Payroll {
  readonly domain: string;
  readonly prefix: string;
}

/** An employee who left did so this long after the opening. */
const LEFT_AFTER_DAYS = 200;

/** Employees are hired one per day within this many days. */
const HIRING_DAYS = 14;

export interface Staff {
  readonly roles: readonly Role[];
  readonly employees: readonly Employee[];
}

export function generateStaff(
  ids: Ids,
  { merchant, locations }: { readonly merchant: Merchant; readonly locations: readonly Location[] },
  people: readonly Person[],
  { domain, prefix }: Payroll,
): Staff {
  const openedAt = merchant.createdAt;
  const roles = Object.entries(ROLES).map(
    ([key, role]) =>
      [key, { ...role, id: ids.newId(20), createdAt: openedAt, updatedAt: openedAt } satisfies Role] as const,
  );
  const roleIds = new Map<string, string>(roles.map(([key, { id }]) => [key, id]));
  const employees = people.map(([firstName, lastName, role, locationIndexes, left], index): Employee => {
    const createdAt = wholeSecond(instant(openedAt + (index % HIRING_DAYS) * DAY_MS));
    return {
      id: ids.newUuid(),
      firstName,
      lastName,
      email: `${firstName}.${lastName}@${domain}`.toLowerCase(),
      phoneNumber: `+1415555${String(200 + index).padStart(4, '0')}`,
      externalId: `${prefix}-${String(index + 1).padStart(3, '0')}`,
      roleId: (role && roleIds.get(role)) ?? null,
      locationIds: locationIndexes.flatMap((each) => locations[each]?.id ?? []),
      status: left ? 'INACTIVE' : 'ACTIVE',
      isOwner: role === 'owner',
      createdAt,
      updatedAt: left ? wholeSecond(instant(openedAt + LEFT_AFTER_DAYS * DAY_MS)) : createdAt,
    };
  });
  return { roles: roles.map(([, role]) => role), employees };
}

export async function insertStaff(tx: Tx, merchantId: string, { roles, employees }: Staff): Promise<void> {
  await Promise.all(roles.map((role) => insertRole(tx, merchantId, role)));
  await Promise.all(employees.map((employee) => insertEmployee(tx, merchantId, employee)));
}
