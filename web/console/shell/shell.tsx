/** The frame around every page of the console: its places, the merchant that they are about, and whether it is live. */
import { Menu, Tooltip, UnstyledButton, useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { Outlet, useSearch } from '@tanstack/react-router';
import { isConsoleLive } from '../../client/console-changes.js';
import { useStore } from '../../client/store.js';
import {
  IconBook,
  IconBug,
  IconBuildingStore,
  IconCircle,
  IconClock,
  IconDeviceDesktop,
  IconDots,
  IconLogout,
  IconMoon,
  IconPlayerPlay,
  IconReplace,
  IconSun,
  IconTerminal2,
  IconWebhook,
} from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { Mark } from '../../ui/mark.js';
import { useSignOut } from '../session/session.js';
import classes from './shell.module.css';

const PLACES = [
  { to: '/console', label: 'Requests', icon: IconTerminal2 },
  { to: '/console/try', label: 'Try it', icon: IconPlayerPlay },
  { to: '/console/webhooks', label: 'Webhooks', icon: IconWebhook },
  { to: '/console/time', label: 'Time', icon: IconClock },
  { to: '/console/faults', label: 'Faults', icon: IconBug },
  { to: '/console/stubs', label: 'Stubs', icon: IconReplace },
  { to: '/console/merchants', label: 'Merchants', icon: IconBuildingStore },
] as const;

const SCHEMES = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'As the system', icon: IconDeviceDesktop },
] as const;

export function Shell() {
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <div className={classes['shell']}>
        <header className={classes['top']}>
          <Link to="/console" className={classes['brand'] ?? ''}>
            <Mark size={26} />
            <span className={classes['word']}>Console</span>
          </Link>
          <nav className={classes['places']} aria-label="Main">
            <Places />
          </nav>
          <div className={classes['end']}>
            <LiveMark />
            <MoreMenu />
          </div>
        </header>
        <main id="content" className={classes['content']} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </>
  );
}

/** The chosen merchant stays the same from page to page. */
function Places() {
  const { merchant } = useSearch({ strict: false }) as { merchant?: string };
  return PLACES.map(({ to, label, icon: Icon }) => (
    <Link
      key={to}
      to={to}
      search={merchant === undefined ? {} : { merchant }}
      activeOptions={{ exact: to === '/console', includeSearch: false }}
      className={classes['place'] ?? ''}
    >
      <Icon size={19} stroke={1.7} aria-hidden />
      <span>{label}</span>
    </Link>
  ));
}

function LiveMark() {
  const live = useStore(isConsoleLive);
  return (
    <Tooltip label={live ? 'New requests appear by themselves' : 'Connecting to the server'}>
      <span className={classes['live']} data-live={live}>
        <IconCircle size={10} fill="currentColor" aria-hidden />
        <span className={classes['word']}>{live ? 'Live' : 'Connecting'}</span>
      </span>
    </Tooltip>
  );
}

function MoreMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    <Menu position="bottom-end" width={220} withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes['more'] ?? ''}>
          <VisuallyHidden>More</VisuallyHidden>
          <IconDots size={20} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
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
        <Menu.Item component="a" href="/docs" leftSection={<IconBook size={17} />}>
          API documentation
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={17} />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
