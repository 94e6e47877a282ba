/** One employee: what is known, what the employee may do, and the latest work. */
import { Button, Grid, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { CopyId } from '../../ui/copy-id.js';
import { Facts } from '../../ui/facts.js';
import { Page as Frame } from '../../ui/page.js';
import { QueryView } from '../../ui/query-view.js';
import { REGISTER_PERMISSION_WORDS, WITHOUT_PERMISSION } from '../../ui/register-permissions.js';
import { Card, LoadingBlock } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { TextLink } from '../../ui/text-link.js';
import { printTime } from '../../ui/time.js';
import { type Employee, employeeName, useBusiness } from '../business.js';
import { BackLink } from '../shell/shell.js';
import { EmployeeModal } from './employee-modal.js';
import { LatestWork, WorkFigures } from './employee-work.js';
import { EmployeeState } from './employees.js';
import { PasscodeModal } from './passcode-modal.js';
import { type Role, useRoles } from './roles-data.js';
import { useStatus } from './status.js';

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({
    queryKey: ['retrieveEmployee', id],
    queryFn: () => call(dashboard.retrieveEmployee, { employee_id: id }),
  });
  return (
    <QueryView query={query} loading={<LoadingBlock height={320} />}>
      {({ employee, has_passcode }) => <EmployeePage employee={employee} hasPasscode={has_passcode} />}
    </QueryView>
  );
}

interface EmployeeProps {
  readonly employee: Employee;
  readonly hasPasscode: boolean;
}

function EmployeePage({ employee, hasPasscode }: EmployeeProps) {
  const [task, setTask] = useState<'edit' | 'passcode'>();
  const { activate, deactivate } = useStatus();
  const isActive = employee.status === 'ACTIVE';
  return (
    <Frame
      title={employeeName(employee)}
      above={<BackLink to="/dashboard/team">Team</BackLink>}
      actions={
        <>
          {!isActive && (
            <Button variant="default" onClick={() => activate(employee)}>
              Activate
            </Button>
          )}
          {isActive && !employee.is_owner && (
            <Button variant="default" onClick={() => deactivate(employee)}>
              Deactivate
            </Button>
          )}
          <Button variant="default" onClick={() => setTask('passcode')}>
            Set passcode
          </Button>
          <Button onClick={() => setTask('edit')}>Edit</Button>
        </>
      }
    >
      <WorkFigures employeeId={employee.id} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="lg">
            <About employee={employee} hasPasscode={hasPasscode} />
            <Permissions employee={employee} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <LatestWork employeeId={employee.id} />
        </Grid.Col>
      </Grid>
      {task === 'edit' && <EmployeeModal employee={employee} onClose={() => setTask(undefined)} />}
      {task === 'passcode' && <PasscodeModal employee={employee} onClose={() => setTask(undefined)} />}
    </Frame>
  );
}

function About({ employee, hasPasscode }: EmployeeProps) {
  const { locationName, timezoneOf } = useBusiness();
  const { email, phone_number, external_id, location_ids, created_at } = employee;
  return (
    <Card padded>
      <Facts
        facts={[
          { name: 'State', value: <EmployeeState employee={employee} /> },
          {
            name: 'Passcode',
            value: hasPasscode ? <Tag tone="good">Set</Tag> : <Tag tone="warning">Not set</Tag>,
          },
          { name: 'Locations', value: location_ids.map(locationName).join(', ') || 'Everywhere' },
          ...(email ? [{ name: 'Email', value: email }] : []),
          ...(phone_number ? [{ name: 'Phone', value: phone_number }] : []),
          ...(external_id ? [{ name: 'External id', value: external_id }] : []),
          { name: 'Since', value: printTime(created_at, 'date', timezoneOf(undefined)) },
          { name: 'Id', value: <CopyId id={employee.id} label="employee id" /> },
        ]}
      />
    </Card>
  );
}

function allowsOf({ permissions }: Role): string {
  return permissions.length === 0
    ? 'Clocking in and taking payments only.'
    : 'Besides clocking in and taking payments:';
}

function Permissions({ employee: { role_id } }: { readonly employee: Employee }) {
  const role = useRoles().find(role_id);
  return (
    <Card padded>
      <Title order={2} size="h5" mb="xs" style={{ overflowWrap: 'anywhere' }}>
        {role ? `Role: ${role.name}` : 'No role'}
      </Title>
      <Text c="dimmed" size="sm" mb={role ? 'xs' : 0}>
        {!role ? WITHOUT_PERMISSION : role.is_owner ? 'Everything at the register.' : allowsOf(role)}
      </Text>
      {role && !role.is_owner && (
        <List size="sm" spacing={4}>
          {role.permissions.map((permission) => (
            <List.Item key={permission}>{REGISTER_PERMISSION_WORDS[permission]}</List.Item>
          ))}
        </List>
      )}
      {role === undefined && (
        <Text size="sm" mt="xs">
          <TextLink to="/dashboard/team" search={{ tab: 'roles' }}>
            See the roles
          </TextLink>
        </Text>
      )}
    </Card>
  );
}
