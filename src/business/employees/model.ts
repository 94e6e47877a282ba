/** Defines employees and the fields that can be set. */
import { Refusal } from '../../base/errors.js';
import type { Instant } from '../../base/time.js';

export const EMPLOYEE_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
export type EmployeeStatus = (typeof EMPLOYEE_STATUSES)[number];

export interface Employee {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string | null;
  readonly phoneNumber: string | null;
  readonly externalId: string | null;
  /** At most one (contract 2). */
  readonly roleId: string | null;
  readonly locationIds: readonly string[];
  readonly status: EmployeeStatus;
  /** Whether this is the owner of the business. A role named owner does not set it. */
  readonly isOwner: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Fields that the API sets on a new employee. The dashboard also sets a phone number and the status. */
export type NewEmployee = Pick<Employee, 'firstName' | 'lastName' | 'email' | 'externalId' | 'roleId' | 'locationIds'> &
  Partial<Pick<Employee, 'phoneNumber' | 'status'>>;

/** Fields that can be changed; absent means unchanged. The status is not one of them (contract 1). Email and phone: the dashboard only. */
export interface EmployeeChanges {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly email?: string | null | undefined;
  readonly phoneNumber?: string | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly roleId?: string | null | undefined;
  readonly locationIds?: readonly string[] | undefined;
}

export function applyChanges(employee: Employee, changes: EmployeeChanges): Employee {
  const { firstName, lastName, email, phoneNumber, externalId, roleId, locationIds } = changes;
  return {
    ...employee,
    firstName: firstName ?? employee.firstName,
    lastName: lastName ?? employee.lastName,
    email: email === undefined ? employee.email : email,
    phoneNumber: phoneNumber === undefined ? employee.phoneNumber : phoneNumber,
    externalId: externalId === undefined ? employee.externalId : externalId,
    roleId: roleId === undefined ? employee.roleId : roleId,
    locationIds: locationIds ?? employee.locationIds,
  };
}

/** Throws a refusal if the owner would become inactive. */
export function toStatus(employee: Employee, status: EmployeeStatus): Employee {
  if (employee.isOwner && employee.status === 'ACTIVE' && status === 'INACTIVE') {
    throw new Refusal('WRONG_STATE', { detail: 'The owner of the business cannot be deactivated.' });
  }
  return { ...employee, status };
}

/** Whether a change concerns the registers at which an employee may be signed in. */
export function mayWorkElsewhere(before: Employee, after: Employee): boolean {
  return before.status !== after.status || before.locationIds.join() !== after.locationIds.join();
}
