/** What an employee is, and what may be said of one. */
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
  /** The owner of the business, not the holder of an owner's role. */
  readonly isOwner: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** What the interface may say of somebody new. */
export type NewEmployee = Pick<Employee, 'firstName' | 'lastName' | 'email' | 'externalId' | 'roleId' | 'locationIds'>;

/** What the interface may change; absent means unchanged. Status is not among it (contract 1). */
export interface EmployeeChanges {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly externalId?: string | undefined;
  readonly roleId?: string | null | undefined;
  readonly locationIds?: readonly string[] | undefined;
}
