/** Defines the table of employees. */
import { Table } from '../../database/table.js';
import type { Employee } from './model.js';

export const employees = new Table<Employee>('employees', {
  key: ['id'],
  columns: {
    id: { column: 'employee_id', as: 'value' },
    firstName: 'value',
    lastName: 'value',
    email: 'value',
    phoneNumber: 'value',
    externalId: 'value',
    roleId: 'value',
    locationIds: 'value',
    status: 'value',
    isOwner: 'value',
    createdAt: 'time',
    updatedAt: 'time',
  },
});
