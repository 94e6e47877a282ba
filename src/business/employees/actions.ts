/** Creates and changes employees. */

import { endForbiddenSessions } from '../../access/devices/forbidden-sessions.js';
import type { MerchantContext } from '../../api/operation.js';
import { realNow } from '../../base/clock.js';
import { notFound, Refusal } from '../../base/errors.js';
import { wholeSecond } from '../../base/time.js';
import { requireLocationInBody } from '../../identity/locations.js';
import {
  applyChanges,
  type Employee,
  type EmployeeChanges,
  type EmployeeStatus,
  mayWorkElsewhere,
  type NewEmployee,
  toStatus,
} from './model.js';
import { insertEmployee, readEmployee, type VersionedEmployee } from './queries.js';
import { employees } from './table.js';

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
  context: MerchantContext,
  employeeId: string,
  input: EmployeeChanges,
  version?: string,
): Promise<Employee> {
  const { merchant, invalidateAttendants } = context;
  const locationIds = input.locationIds && ownLocations(input.locationIds, merchant);
  const employee = await save(context, employeeId, (before) => {
    if (version !== undefined && version !== before.version) {
      throw new Refusal('CONFLICT', { detail: 'Somebody has changed this employee meanwhile.' });
    }
    return applyChanges(before, { ...input, locationIds });
  });
  if (locationIds !== undefined || input.roleId !== undefined) invalidateAttendants(merchant.id);
  return employee;
}

/** Only the dashboard changes a status. */
export async function setEmployeeStatus(
  context: MerchantContext,
  employeeId: string,
  status: EmployeeStatus,
): Promise<Employee> {
  const employee = await save(context, employeeId, (before) => toStatus(before, status));
  context.invalidateAttendants(context.merchant.id);
  return employee;
}

/** If no value differs, `updatedAt` stays as it is. Sessions that the employee may no longer have end in the same commit. */
async function save(
  { database, merchant, now }: MerchantContext,
  employeeId: string,
  changed: (before: VersionedEmployee) => Employee,
): Promise<Employee> {
  return database.change(merchant.id, async (change) => {
    const before = await readEmployee(change, employeeId);
    if (!before) throw notFound('employee', employeeId);
    const after = { ...changed(before), updatedAt: wholeSecond(now) };
    if (!employees.differ(before, { ...after, updatedAt: before.updatedAt })) return before;
    change.save(employees, before, after);
    if (mayWorkElsewhere(before, after)) endForbiddenSessions(change, after, realNow());
    return after;
  });
}

function ownLocations(ids: readonly string[], merchant: MerchantContext['merchant']): readonly string[] {
  for (const id of ids) requireLocationInBody(merchant, id, 'authorized_location_ids');
  return [...new Set(ids)];
}
