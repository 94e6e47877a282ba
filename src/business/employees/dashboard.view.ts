/** The dashboard's view of employees: the v2 view, with the role, the external id and the version that an editor sends back. */
import { about, model, optional, present, type Static, Type, text, Version } from '../../api/wire.js';
import type { NewEmployee } from './model.js';
import type { VersionedEmployee } from './queries.js';
import { Employee, EmployeeStatus, toEmployee } from './v2.view.js';

export const DashboardEmployee = model('DashboardEmployee', {
  ...Employee.properties,
  external_id: about('The id of the employee in another system.', optional(Type.String())),
  role_id: about(
    'The role, which says what the employee may do at registers. Absent without one.',
    optional(Type.String()),
  ),
  version: about('Identifies what the editor sees. Send it with an edit.', Type.String()),
});

const Email = Type.String({ maxLength: 255, pattern: '^[^@\\s]+@[^@\\s]+$', examples: ['ana@example.com'] });
/** With the code of the country (E.164). */
const Phone = Type.String({ pattern: '^\\+[1-9][0-9]{4,14}$', examples: ['+12065550100'] });

/** All fields that the owner can edit. One that is absent is empty: an edit replaces all of them. */
const EmployeeFields = Type.Object({
  first_name: about('The first name.', text(255, { minLength: 1 })),
  last_name: about('The last name.', optional(text())),
  email: about('The email address.', optional(Email)),
  phone_number: about('The phone number.', optional(Phone)),
  external_id: about('The id of the employee in another system.', optional(text())),
  role_id: about('The role, which says what the employee may do at registers.', optional(text())),
  location_ids: about(
    'Where the employee may work. Empty: everywhere.',
    optional(Type.Array(text(), { maxItems: 500 })),
  ),
});

export const NewEmployeeBody = Type.Object({
  ...EmployeeFields.properties,
  status: about('Whether the employee may still work. Default: active.', optional(EmployeeStatus)),
});
export const EmployeeEditBody = Type.Object({ ...EmployeeFields.properties, version: Version });

/** Both a new employee and the changes of an existing one. */
type EditedFields = Omit<Required<NewEmployee>, 'status'>;

export function fromEditable(body: Static<typeof EmployeeFields>): EditedFields {
  return {
    firstName: body.first_name,
    lastName: body.last_name ?? '',
    email: body.email ?? null,
    phoneNumber: body.phone_number ?? null,
    externalId: body.external_id ?? null,
    roleId: body.role_id ?? null,
    locationIds: body.location_ids ?? [],
  };
}

export function toDashboardEmployee(employee: VersionedEmployee): Static<typeof DashboardEmployee> {
  return {
    ...toEmployee(employee),
    ...present({ external_id: employee.externalId, role_id: employee.roleId }),
    version: employee.version,
  };
}
