/** The menu with who is signed in, light or dark, and signing out. */
import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { IconDeviceDesktop, IconLogout, IconMoon, IconShieldLock, IconSun } from '../../ui/icons.js';
import { useSession, useSignOut } from '../session/session.js';
import classes from './account-menu.module.css';

const SCHEMES = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'As the system', icon: IconDeviceDesktop },
] as const;

export function AccountMenu() {
  const { data: session } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [signOut, navigate] = [useSignOut(), useNavigate()];
  const email = session?.email ?? '';
  return (
    <Menu position="top-start" width={230} withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes['button'] ?? ''}>
          <VisuallyHidden>Account</VisuallyHidden>
          <Avatar size={32} radius="xl" color="juniper" name={email} aria-hidden />
          <Text span size="sm" truncate className={classes['email'] ?? ''}>
            {email}
          </Text>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{email}</Menu.Label>
        {SCHEMES.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={17} />}
            aria-current={colorScheme === value}
            fw={colorScheme === value ? 650 : 400}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconShieldLock size={17} />} onClick={() => navigate({ to: '/dashboard/security' })}>
          Security
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={17} />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
