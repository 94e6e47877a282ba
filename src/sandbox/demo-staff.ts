/** The people of Juniper & Rye: the owner, a dozen employees and their roles. */
import { REGISTER_PERMISSIONS } from '../access/permissions.js';
import { newId, newUuid } from '../base/ids.js';
import { DAY_MS, instant, wholeSecond } from '../base/time.js';
import type { Employee } from '../business/employees/model.js';
import { insertEmployee } from '../business/employees/queries.js';
import type { Location, Merchant } from '../business/merchants/model.js';
import type { Role } from '../business/roles/model.js';
import { insertRole } from '../business/roles/queries.js';
import type { Tx } from '../database/database.js';

const ROLES = {
  owner: { name: 'Owner', permissions: REGISTER_PERMISSIONS, isOwner: true },
  manager: {
    name: 'Manager',
    permissions: REGISTER_PERMISSIONS.filter((permission) => permission !== 'REGISTER_CHANGE_SETTINGS'),
    isOwner: false,
  },
  cashier: { name: 'Cashier', permissions: ['REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE'], isOwner: false },
} as const;

type RoleName = keyof typeof ROLES;

/** First and last name, role, the numbers of the locations they work at, and whether they have left. */
const STAFF: readonly (readonly [string, string, RoleName | null, readonly number[], 'left'?])[] = [
  ['Maren', 'Holt', 'owner', [0, 1]],
  ['Tomas', 'Okafor', 'manager', [0]],
  ['Ines', 'Marchetti', 'manager', [1]],
  ['Priya', 'Raman', 'cashier', [0]],
  ['Caleb', 'Whitlock', 'cashier', [0]],
  ['Sofia', 'Lindqvist', 'cashier', [0]],
  ['Dev', 'Anand', 'cashier', [1]],
  ['Noor', 'Haddad', 'cashier', [1]],
  ['Jonas', 'Weber', 'cashier', [1]],
  ['Amara', 'Diallo', 'cashier', [0, 1]],
  ['Leo', 'Castellanos', null, [0]],
  ['Hana', 'Kimura', null, [1]],
  ['Ruth', 'Abernathy', 'cashier', [0], 'left'],
];

/** Somebody left this long after the opening. */
const LEFT_AFTER_DAYS = 200;

export interface DemoStaff {
  readonly roles: readonly Role[];
  readonly employees: readonly Employee[];
}

/** They came one after another in the first days of the business. */
export function chooseDemoStaff(merchant: Merchant, locations: readonly Location[]): DemoStaff {
  const openedAt = merchant.createdAt;
  const roles = Object.entries(ROLES).map(
    ([key, role]) =>
      [key, { ...role, id: newId(20), createdAt: openedAt, updatedAt: openedAt } satisfies Role] as const,
  );
  const roleIds = new Map<string, string>(roles.map(([key, { id }]) => [key, id]));
  const employees = STAFF.map(([firstName, lastName, role, places, left], index): Employee => {
    const createdAt = wholeSecond(instant(openedAt + index * DAY_MS));
    return {
      id: newUuid(),
      firstName,
      lastName,
      email: `${firstName}.${lastName}@juniper-and-rye.example`.toLowerCase(),
      phoneNumber: `+1415555${String(200 + index).padStart(4, '0')}`,
      externalId: `JR-${String(index + 1).padStart(3, '0')}`,
      roleId: (role && roleIds.get(role)) ?? null,
      locationIds: places.flatMap((place) => locations[place]?.id ?? []),
      status: left ? 'INACTIVE' : 'ACTIVE',
      isOwner: role === 'owner',
      createdAt,
      updatedAt: left ? wholeSecond(instant(openedAt + LEFT_AFTER_DAYS * DAY_MS)) : createdAt,
    };
  });
  return { roles: roles.map(([, role]) => role), employees };
}

export async function hireDemoStaff(tx: Tx, merchantId: string, { roles, employees }: DemoStaff): Promise<void> {
  for (const role of roles) await insertRole(tx, merchantId, role);
  for (const employee of employees) await insertEmployee(tx, merchantId, employee);
}
