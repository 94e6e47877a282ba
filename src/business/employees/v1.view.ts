/** The v1 view of employees. */
import { about, choice, clearable, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import { EMPLOYEE_STATUSES, type Employee, type EmployeeChanges, type NewEmployee } from './model.js';

export const V1EmployeeStatus = choice(EMPLOYEE_STATUSES);

export const V1Employee = model('V1Employee', {
  id: about('The id of the employee.', Type.String()),
  first_name: about('The first name of the employee.', Type.String()),
  last_name: about('The last name of the employee.', Type.String()),
  // Always present, because clients iterate over both lists without a check.
  role_ids: about('The role of the employee: one id, or none.', Type.Array(Type.String())),
  authorized_location_ids: about(
    'The locations where the employee may work. Empty: all locations.',
    Type.Array(Type.String()),
  ),
  email: about('The email address of the employee.', optional(Type.String())),
  status: about('Whether the employee may still work.', V1EmployeeStatus),
  external_id: about('The id of the employee in another system.', optional(Type.String())),
  created_at: about('When the employee was created.', Time),
  updated_at: about('When the employee was last changed.', Time),
});

const changeable = {
  first_name: about('The first name of the employee.', text()),
  last_name: about('The last name of the employee.', text()),
  role_ids: about(
    'The role of the employee: one id. An empty list removes the role.',
    optional(Type.Array(text(), { maxItems: 1 })),
  ),
  authorized_location_ids: about(
    'The locations where the employee may work. An empty list: all locations.',
    optional(Type.Array(text(), { maxItems: 500 })),
  ),
  external_id: about('The id of the employee in another system.', optional(text())),
};

/** The email cannot be changed after creation. Read-only fields (id, status, times) are ignored in a body. */
export const V1CreateEmployeeBody = Type.Object({
  ...changeable,
  email: about('The email address of the employee. It cannot be changed later.', optional(text())),
});
export const V1UpdateEmployeeBody = Type.Partial(
  Type.Object({
    ...changeable,
    external_id: about('The id of the employee in another system. Empty text removes it.', clearable(text())),
  }),
);

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
    externalId: body.external_id === '' ? null : body.external_id,
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
