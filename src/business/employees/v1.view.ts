/** The v1 view of employees. */
import { choice, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import { EMPLOYEE_STATUSES, type Employee, type EmployeeChanges, type NewEmployee } from './model.js';

export const V1EmployeeStatus = choice(EMPLOYEE_STATUSES);

export const V1Employee = model('V1Employee', {
  id: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  // Always present, because clients iterate over both lists without a check.
  role_ids: Type.Array(Type.String()),
  authorized_location_ids: Type.Array(Type.String()),
  email: optional(Type.String()),
  status: V1EmployeeStatus,
  external_id: optional(Type.String()),
  created_at: Time,
  updated_at: Time,
});

const changeable = {
  first_name: text(),
  last_name: text(),
  role_ids: optional(Type.Array(text(), { maxItems: 1 })),
  authorized_location_ids: optional(Type.Array(text(), { maxItems: 500 })),
  external_id: optional(text()),
};

/** The email cannot be changed after creation. Read-only fields (id, status, times) are ignored in a body. */
export const V1CreateEmployeeBody = Type.Object({ ...changeable, email: optional(text()) });
export const V1UpdateEmployeeBody = Type.Partial(Type.Object(changeable));

export function fromV1NewEmployee(body: Static<typeof V1CreateEmployeeBody>): NewEmployee {
  return {
    firstName: body.first_name,
    lastName: body.last_name,
    email: body.email ?? null,
    externalId: body.external_id ?? null,
    roleId: body.role_ids?.[0] ?? null,
    locationIds: body.authorized_location_ids ?? [],
  };
}

export function fromV1EmployeeChanges(body: Static<typeof V1UpdateEmployeeBody>): EmployeeChanges {
  return {
    firstName: body.first_name,
    lastName: body.last_name,
    externalId: body.external_id,
    // An empty list removes the role; an absent list leaves it unchanged.
    roleId: body.role_ids && (body.role_ids[0] ?? null),
    locationIds: body.authorized_location_ids,
  };
}

export function toV1Employee(employee: Employee): Static<typeof V1Employee> {
  return {
    id: employee.id,
    first_name: employee.firstName,
    last_name: employee.lastName,
    role_ids: employee.roleId === null ? [] : [employee.roleId],
    authorized_location_ids: [...employee.locationIds],
    status: employee.status,
    created_at: printSeconds(employee.createdAt),
    updated_at: printSeconds(employee.updatedAt),
    ...present({ email: employee.email, external_id: employee.externalId }),
  };
}
