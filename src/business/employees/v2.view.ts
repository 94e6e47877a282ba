/** The v2 view of employees. */
import { about, Bool, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import { EMPLOYEE_STATUSES, type Employee as EmployeeModel } from './model.js';

export const EmployeeStatus = choice(EMPLOYEE_STATUSES);

export const Employee = model('Employee', {
  id: about('The id of the employee.', Type.String()),
  first_name: about('The first name of the employee.', Type.String()),
  last_name: about('The last name of the employee.', Type.String()),
  email: about('The email address of the employee.', optional(Type.String())),
  phone_number: about('The phone number of the employee.', optional(Type.String())),
  location_ids: about('The locations where the employee may work.', Type.Array(Type.String())),
  status: about('Whether the employee may still work.', EmployeeStatus),
  is_owner: about('Whether the role of the employee is that of an owner.', Bool),
  created_at: about('When the employee was created.', Time),
  updated_at: about('When the employee was last changed.', Time),
});

export function toEmployee(employee: EmployeeModel): Static<typeof Employee> {
  return {
    id: employee.id,
    first_name: employee.firstName,
    last_name: employee.lastName,
    location_ids: [...employee.locationIds],
    status: employee.status,
    is_owner: employee.isOwner,
    created_at: printSeconds(employee.createdAt),
    updated_at: printSeconds(employee.updatedAt),
    ...present({ email: employee.email, phone_number: employee.phoneNumber }),
  };
}
