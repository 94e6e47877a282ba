/** The v2 view of employees. */
import { choice, Flag, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import { EMPLOYEE_STATUSES, type Employee as EmployeeModel } from './model.js';

export const EmployeeStatus = choice(EMPLOYEE_STATUSES);

export const Employee = model('Employee', {
  id: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  email: optional(Type.String()),
  phone_number: optional(Type.String()),
  location_ids: Type.Array(Type.String()),
  status: EmployeeStatus,
  is_owner: Flag,
  created_at: Time,
  updated_at: Time,
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
