/** The list of roles with what they allow. */
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { FormModal } from '../../ui/form-modal.js';
import { IconPlus, IconShieldLock } from '../../ui/icons.js';
import { describeRole, WITHOUT_PERMISSION } from '../../ui/register-permissions.js';
import { useSaved } from '../../ui/save.js';
import { Empty } from '../../ui/states.js';
import { RoleModal } from './role-modal.js';
import type { Role } from './roles-data.js';

const COLUMNS: readonly Column<Role>[] = [
  {
    key: 'name',
    header: 'Role',
    cell: ({ name }) => (
      <Text span inherit fw={550} lineClamp={2}>
        {name}
      </Text>
    ),
    value: ({ name }) => name,
  },
  {
    key: 'permissions',
    header: 'May at the register',
    cell: (role) => <Text size="sm">{describeRole(role)}</Text>,
    value: describeRole,
  },
  {
    key: 'employees',
    header: 'Employees',
    align: 'right',
    cell: ({ employees }) => employees,
    value: ({ employees }) => employees,
    wide: true,
  },
];

type Task = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly role: Role };

export function Roles() {
  const list = usePagedList(dashboard.listRoles, {}, (page) => page.roles);
  const [task, setTask] = useState<Task>();
  const close = () => setTask(undefined);
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setTask({ kind: 'new' })}>
      Create a role
    </Button>
  );
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Text c="dimmed">{WITHOUT_PERMISSION} A role allows more.</Text>
        {add}
      </Group>
      <DataTable
        name="Roles"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        actions={[
          { label: 'Edit', run: (role) => setTask({ kind: 'edit', role }) },
          {
            label: 'Delete',
            danger: true,
            isOffered: ({ employees }) => employees === 0,
            run: (role) => setTask({ kind: 'delete', role }),
          },
        ]}
        empty={
          <Empty icon={IconShieldLock} title="No roles yet" action={add}>
            Without a role an employee can take payments and nothing else. Create a role such as Manager, choose what it
            allows, and give it to employees.
          </Empty>
        }
      />
      {task?.kind === 'delete' && <DeleteRole role={task.role} onClose={close} />}
      {task && task.kind !== 'delete' && (
        <RoleModal role={task.kind === 'edit' ? task.role : undefined} onClose={close} />
      )}
    </>
  );
}

function DeleteRole({ role, onClose }: { readonly role: Role; readonly onClose: () => void }) {
  const saved = useSaved();
  const remove = async () => {
    await call(dashboard.deleteRole, { role_id: role.id });
    await saved('The role is deleted');
  };
  return (
    <FormModal title="Delete this role?" submitLabel="Delete" danger onClose={onClose} onSubmit={remove}>
      {() => <Text style={{ overflowWrap: 'anywhere' }}>Nobody has the role {role.name}. It is removed for good.</Text>}
    </FormModal>
  );
}
