/** Creates and changes employees. */
import type { MerchantContext } from '../../api/operation.js';
import { realNow } from '../../base/clock.js';
import { notFound } from '../../base/errors.js';
import { wholeSecond } from '../../base/time.js';
import { requireLocationInBody } from '../../identity/locations.js';
import type { Employee, EmployeeChanges, EmployeeStatus, NewEmployee } from './model.js';
import { insertEmployee, moveEmployee, updateEmployee } from './queries.js';

/** Employees that are created through the API start INACTIVE (contract 3); the dashboard chooses the status. */
export async function createEmployee(
  { database, merchant, ids, now }: MerchantContext,
  input: NewEmployee,
): Promise<Employee> {
  const at = wholeSecond(now);
  const employee: Employee = {
    phoneNumber: null,
    status: 'INACTIVE',
    ...input,
    id: ids.newUuid(),
    locationIds: ownLocations(input.locationIds, merchant),
    isOwner: false,
    createdAt: at,
    updatedAt: at,
  };
  await database.statement((tx) => insertEmployee(tx, merchant.id, employee));
  return employee;
}

/** Changes that concern registers take effect before the response is sent. With a version, only that version is changed (decision 0148). */
export async function changeEmployee(
  { database, merchant, now, invalidateAttendants }: MerchantContext,
  employeeId: string,
  input: EmployeeChanges,
  version?: string,
): Promise<Employee> {
  const { locationIds, roleId } = input;
  const changes: EmployeeChanges = {
    ...input,
    locationIds: locationIds && ownLocations(locationIds, merchant),
  };
  const change = { merchantId: merchant.id, employeeId, changes, version, at: wholeSecond(now), now: realNow() };
  const employee = await database.statement((tx) => updateEmployee(tx, change));
  if (!employee) throw notFound('employee', employeeId);
  if (locationIds !== undefined || roleId !== undefined) invalidateAttendants(merchant.id);
  return employee;
}

export async function setEmployeeStatus(
  { database, merchant, now, invalidateAttendants }: MerchantContext,
  employeeId: string,
  status: EmployeeStatus,
): Promise<Employee> {
  const change = { merchantId: merchant.id, employeeId, status, at: wholeSecond(now), now: realNow() };
  const employee = await database.statement((tx) => moveEmployee(tx, change));
  if (!employee) throw notFound('employee', employeeId);
  invalidateAttendants(merchant.id);
  return employee;
}

function ownLocations(ids: readonly string[], merchant: MerchantContext['merchant']): readonly string[] {
  for (const id of ids) requireLocationInBody(merchant, id, 'authorized_location_ids');
  return [...new Set(ids)];
}
