/** `Ctrl K`: finds pages, people and actions. */
import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { useNavigate } from '@tanstack/react-router';
import { IconLogout, IconMoon, IconSearch, IconSun, IconUser } from '../../ui/icons.js';
import { employeeName, usePeople } from '../business.js';
import { useSignOut } from '../session/session.js';
import { PLACES } from './places.js';

export function Search() {
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const people = usePeople().all;
  const pages: SpotlightActionData[] = PLACES.map(({ to, label, description, icon: Icon }) => ({
    id: to,
    label,
    description,
    leftSection: <Icon size={20} stroke={1.7} />,
    onClick: () => navigate({ to }),
  }));
  const team: SpotlightActionData[] = people.map((employee) => ({
    id: employee.id,
    label: employeeName(employee),
    description: 'On the team',
    leftSection: <IconUser size={20} stroke={1.7} />,
    onClick: () => navigate({ to: `/dashboard/team/${employee.id}` }),
  }));
  const actions: SpotlightActionData[] = [
    { id: 'light', label: 'Light colours', leftSection: <IconSun size={20} />, onClick: () => setColorScheme('light') },
    { id: 'dark', label: 'Dark colours', leftSection: <IconMoon size={20} />, onClick: () => setColorScheme('dark') },
    { id: 'sign-out', label: 'Sign out', leftSection: <IconLogout size={20} />, onClick: signOut },
  ];
  return (
    <Spotlight
      actions={[
        { group: 'Pages', actions: pages },
        { group: 'People', actions: team },
        { group: 'Actions', actions },
      ]}
      shortcut="mod + K"
      limit={12}
      nothingFound="Nothing found"
      searchProps={{
        placeholder: 'Search or jump to',
        'aria-label': 'Search or jump to',
        leftSection: <IconSearch size={20} />,
      }}
    />
  );
}
