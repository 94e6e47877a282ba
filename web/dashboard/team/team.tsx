/** The team: employees, and the roles that say what they may do at a register. */
import { Page as Frame } from '../../ui/page.js';
import { PageTabs } from '../../ui/page-tabs.js';
import { useBusiness } from '../business.js';
import { NotApproved } from '../not-approved.js';
import { Employees } from './employees.js';
import { Roles } from './roles.js';

const DESCRIPTION = 'Who works here, and what each may do at the registers. A passcode lets an employee sign in there.';

const TABS = [
  { name: 'employees', label: 'Employees', content: Employees },
  { name: 'roles', label: 'Roles', content: Roles },
] as const;

export function Page() {
  const { isApproved } = useBusiness();
  return (
    <Frame title="Team" description={DESCRIPTION}>
      {isApproved ? <PageTabs tabs={TABS} /> : <NotApproved />}
    </Frame>
  );
}
