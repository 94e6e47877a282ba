/** The list of employees with their role, locations and state. */
import { Avatar, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { useAddress, useDialogAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconPlus, IconUsers } from '../../ui/icons.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { printTime } from '../../ui/time.js';
import { type Employee, employeeName, useBusiness } from '../business.js';
import { ChoiceFilter, LocationFilter } from '../filters.js';
import { EmployeeModal } from './employee-modal.js';
import classes from './employees.module.css';
import { PasscodeModal } from './passcode-modal.js';
import { useRoles } from './roles-data.js';
import { useStatus } from './status.js';

export function EmployeeState({ employee: { status } }: { readonly employee: Employee }) {
  return <Tag tone={status === 'ACTIVE' ? 'good' : 'quiet'}>{status === 'ACTIVE' ? 'Active' : 'Inactive'}</Tag>;
}

function Name({ employee }: { readonly employee: Employee }) {
  return (
    <Group gap="sm" wrap="nowrap" className={classes['name'] ?? ''}>
      <Avatar size={28} radius="xl" color="juniper" name={employeeName(employee)} aria-hidden />
      <Text span inherit fw={550} lineClamp={2}>
        {employeeName(employee)}
      </Text>
      {employee.is_owner && <Tag tone="quiet">Owner</Tag>}
    </Group>
  );
}

function useColumns(): Column<Employee>[] {
  const { locationName, timezoneOf } = useBusiness();
  const roles = useRoles();
  const places = ({ location_ids }: Employee) =>
    location_ids.length === 0 ? 'Everywhere' : location_ids.map(locationName).join(', ');
  return [
    { key: 'name', header: 'Name', cell: (employee) => <Name employee={employee} />, value: employeeName },
    {
      key: 'status',
      header: 'State',
      cell: (employee) => <EmployeeState employee={employee} />,
      value: ({ status }) => status,
    },
    {
      key: 'role',
      header: 'Role',
      cell: ({ role_id }) =>
        roles.nameOf(role_id) || (
          <Text span inherit c="dimmed">
            No role
          </Text>
        ),
      value: ({ role_id }) => roles.nameOf(role_id),
      wide: true,
    },
    { key: 'locations', header: 'Locations', cell: places, value: places, wide: true },
    {
      key: 'email',
      header: 'Email',
      cell: ({ email }) => email ?? '',
      value: ({ email }) => email,
      wide: true,
      brief: true,
    },
    {
      key: 'since',
      header: 'Since',
      cell: ({ created_at }) => printTime(created_at, 'date', timezoneOf(undefined)),
      value: ({ created_at }) => created_at,
      csvOnly: true,
    },
  ];
}

type Task = { readonly kind: 'edit' | 'passcode'; readonly employee: Employee };

export function Employees() {
  const [[status], [role], [location]] = [useAddress('status'), useAddress('role'), useAddress('location')];
  const filters = { status: status as Employee['status'] | undefined, role_id: role, location_id: location };
  const list = usePagedList(dashboard.listEmployees, filters, (page) => page.employees);
  const [task, setTask] = useState<Task>();
  const [isAdding, setAdding] = useDialogAddress('new');
  const { activate, deactivate } = useStatus();
  const roles = useRoles();
  const isFiltered = [status, role, location].some((value) => value !== undefined);
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      Add an employee
    </Button>
  );
  return (
    <>
      <Group justify="flex-end" mb="sm">
        {add}
      </Group>
      <DataTable
        name="Employees"
        list={list}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={employeeName}
        rowLink={({ id }) => `/dashboard/team/${id}`}
        actions={[
          { label: 'Edit', run: (employee) => setTask({ kind: 'edit', employee }) },
          { label: 'Set passcode', run: (employee) => setTask({ kind: 'passcode', employee }) },
          { label: 'Activate', isOffered: (row) => row.status === 'INACTIVE', run: activate },
          {
            label: 'Deactivate',
            danger: true,
            isOffered: (row) => row.status === 'ACTIVE' && !row.is_owner,
            run: deactivate,
          },
        ]}
        filters={
          <>
            <ChoiceFilter
              name="status"
              label="State"
              options={[
                { value: 'ACTIVE', label: 'Active' },
                { value: 'INACTIVE', label: 'Inactive' },
              ]}
            />
            {roles.all.length > 0 && (
              <ChoiceFilter
                name="role"
                label="Role"
                options={roles.all.map(({ id, name }) => ({ value: id, label: name }))}
              />
            )}
            <LocationFilter />
          </>
        }
        empty={
          isFiltered ? (
            <Empty icon={IconUsers} title="Nobody matches">
              Change or clear the filters above to see the others.
            </Empty>
          ) : (
            <Empty icon={IconUsers} title="Nobody here yet" action={add}>
              Add the first employee, then set a passcode: with it, the employee signs in at a register and clocks in.
            </Empty>
          )
        }
      />
      {task?.kind === 'passcode' && <PasscodeModal employee={task.employee} onClose={() => setTask(undefined)} />}
      {task?.kind === 'edit' && <EmployeeModal employee={task.employee} onClose={() => setTask(undefined)} />}
      {isAdding && <EmployeeModal employee={undefined} onClose={() => setAdding(false)} />}
    </>
  );
}
