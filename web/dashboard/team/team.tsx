/** The team: employees, and the roles that say what they may do at a register. */
import { Tabs } from '@mantine/core';
import { useAddress } from '../../ui/address.js';
import { Page as Frame } from '../../ui/page.js';
import { useBusiness } from '../business.js';
import { NotApproved } from '../not-approved.js';
import { Employees } from './employees.js';
import { Roles } from './roles.js';

const DESCRIPTION = 'Who works here, and what each may do at the registers. A passcode lets an employee sign in there.';

export function Page() {
  const { isApproved } = useBusiness();
  return (
    <Frame title="Team" description={DESCRIPTION}>
      {isApproved ? <TeamTabs /> : <NotApproved />}
    </Frame>
  );
}

function TeamTabs() {
  const [chosen, choose] = useAddress('tab');
  const tab = chosen === 'roles' ? 'roles' : 'employees';
  return (
    <Tabs value={tab} onChange={(next) => choose(next === 'roles' ? next : undefined)} keepMounted={false}>
      <Tabs.List mb="lg">
        <Tabs.Tab value="employees">Employees</Tabs.Tab>
        <Tabs.Tab value="roles">Roles</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value={tab}>{tab === 'roles' ? <Roles /> : <Employees />}</Tabs.Panel>
    </Tabs>
  );
}
