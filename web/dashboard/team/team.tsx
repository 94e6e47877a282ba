/** The team: employees with their locations and state. */
import { Avatar, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { usePagedList } from '../../client/list.js';
import { dashboard } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconUsers } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { printTime } from '../../ui/time.js';
import { type Employee, employeeName, useBusiness } from '../business.js';
import { ChoiceFilter } from '../filters.js';
import { NotApproved } from '../not-approved.js';
import { useAct } from '../save.js';
import { PasscodeModal } from './passcode-modal.js';

const DESCRIPTION = 'Who works here. A passcode lets an employee sign in at the registers.';

export function Page() {
  const { isApproved } = useBusiness();
  return (
    <Frame title="Team" description={DESCRIPTION}>
      {isApproved ? <Employees /> : <NotApproved />}
    </Frame>
  );
}

function Name({ employee }: { readonly employee: Employee }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <Avatar size={28} radius="xl" color="juniper" name={employeeName(employee)} aria-hidden />
      <Text span inherit fw={550}>
        {employeeName(employee)}
      </Text>
      {employee.is_owner && <Tag tone="quiet">Owner</Tag>}
    </Group>
  );
}

function useColumns(): Column<Employee>[] {
  const { locationName, timezoneOf } = useBusiness();
  const places = ({ location_ids }: Employee) => location_ids.map(locationName).join(', ');
  return [
    { key: 'name', header: 'Name', cell: (employee) => <Name employee={employee} />, value: employeeName },
    {
      key: 'status',
      header: 'State',
      cell: ({ status }) => (
        <Tag tone={status === 'ACTIVE' ? 'good' : 'quiet'}>{status === 'ACTIVE' ? 'Active' : 'Inactive'}</Tag>
      ),
      value: ({ status }) => status,
    },
    { key: 'locations', header: 'Locations', cell: places, value: places, wide: true },
    { key: 'email', header: 'Email', cell: ({ email }) => email ?? '', value: ({ email }) => email, wide: true },
    {
      key: 'since',
      header: 'Since',
      cell: ({ created_at }) => printTime(created_at, 'date', timezoneOf(undefined)),
      value: ({ created_at }) => created_at,
      wide: true,
    },
  ];
}

function Employees() {
  const [status] = useAddress('status');
  const list = usePagedList(
    dashboard.listEmployees,
    { status: status as Employee['status'] | undefined },
    (page) => page.employees,
  );
  const [chosen, setChosen] = useState<Employee>();
  const act = useAct();
  const columns = useColumns();
  const activate = ({ id }: Employee) =>
    act(() => call(dashboard.activateEmployee, { employee_id: id }), 'The employee is active');
  const deactivate = ({ id }: Employee) =>
    act(() => call(dashboard.deactivateEmployee, { employee_id: id }), 'The employee is inactive');
  return (
    <>
      <DataTable
        name="Employees"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={employeeName}
        actions={[
          { label: 'Set passcode', run: setChosen },
          { label: 'Activate', isOffered: (row) => row.status === 'INACTIVE', run: activate },
          {
            label: 'Deactivate',
            danger: true,
            isOffered: (row) => row.status === 'ACTIVE' && !row.is_owner,
            run: deactivate,
          },
        ]}
        filters={
          <ChoiceFilter
            name="status"
            label="State"
            options={[
              { value: 'ACTIVE', label: 'Active' },
              { value: 'INACTIVE', label: 'Inactive' },
            ]}
          />
        }
        empty={
          <Empty icon={IconUsers} title="Nobody here yet">
            Employees appear as soon as an application creates them through the API. Then give each a passcode for the
            registers.
          </Empty>
        }
      />
      {chosen && <PasscodeModal employee={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}
