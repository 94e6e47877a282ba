/** Defines the table of roles. */
import { Table } from '../../database/table.js';
import type { Role } from './model.js';

export const roles = new Table<Role>('roles', {
  key: ['id'],
  columns: {
    id: { column: 'role_id', as: 'value' },
    name: 'value',
    permissions: 'value',
    isOwner: 'value',
    createdAt: 'time',
    updatedAt: 'time',
  },
  deletes: true,
});
