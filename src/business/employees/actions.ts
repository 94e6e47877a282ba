/** Adds and changes employees. */
import { endForbiddenSessions } from '../../access/devices/attendance.js';
import type { MerchantContext } from '../../api/operation.js';
import { notFound } from '../../base/errors.js';
import { wholeSecond } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { requireLocationInBody } from '../../identity/locations.js';
import type { Employee, EmployeeChanges, EmployeeStatus, NewEmployee } from './model.js';
import { insertEmployee, moveEmployee, updateEmployee } from './queries.js';

/** Whoever comes through the interface starts INACTIVE (contract 3). */
export async function createEmployee(
  { database, merchant, ids, now }: MerchantContext,
  given: NewEmployee,
): Promise<Employee> {
  const at = wholeSecond(now);
  const employee: Employee = {
    ...given,
    id: ids.newUuid(),
    locationIds: ownLocations(given.locationIds, merchant),
    phoneNumber: null,
    status: 'INACTIVE',
    isOwner: false,
    createdAt: at,
    updatedAt: at,
  };
  await database.statement((tx) => insertEmployee(tx, merchant.id, employee));
  return employee;
}

/** What it changes at registers holds from the answer on; a name costs no more than its own statement. */
export async function changeEmployee(
  { database, merchant, now, forgetAttendants }: MerchantContext,
  employeeId: string,
  given: EmployeeChanges,
): Promise<Employee> {
  const { locationIds, roleId } = given;
  const changes: EmployeeChanges = {
    ...given,
    locationIds: locationIds && ownLocations(locationIds, merchant),
  };
  const change = { merchantId: merchant.id, employeeId, changes, at: wholeSecond(now) };
  const employee =
    locationIds === undefined
      ? await database.statement((tx) => updateEmployee(tx, change))
      : await database.transaction((tx) => withoutForbiddenSessions(tx, merchant.id, updateEmployee(tx, change)));
  if (!employee) throw notFound('employee', employeeId);
  if (locationIds !== undefined || roleId !== undefined) forgetAttendants(merchant.id);
  return employee;
}

export async function setEmployeeStatus(
  { database, merchant, now, forgetAttendants }: MerchantContext,
  employeeId: string,
  status: EmployeeStatus,
): Promise<Employee> {
  const change = { merchantId: merchant.id, employeeId, status, at: wholeSecond(now) };
  const employee = await database.transaction((tx) =>
    withoutForbiddenSessions(tx, merchant.id, moveEmployee(tx, change)),
  );
  if (!employee) throw notFound('employee', employeeId);
  forgetAttendants(merchant.id);
  return employee;
}

/** Whoever may not work at a device any more is signed out there, in the commit of the change. */
async function withoutForbiddenSessions(
  tx: Tx,
  merchantId: string,
  changing: Promise<Employee | undefined>,
): Promise<Employee | undefined> {
  const employee = await changing;
  if (employee) await endForbiddenSessions(tx, merchantId, employee.id);
  return employee;
}

function ownLocations(ids: readonly string[], merchant: MerchantContext['merchant']): readonly string[] {
  for (const id of ids) requireLocationInBody(merchant, id, 'authorized_location_ids');
  return [...new Set(ids)];
}
