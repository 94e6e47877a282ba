/** The frame around every page: navigation on the left, or at the bottom on phones, and the search. */
import { Drawer, Group, Kbd, Stack, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { IconDots, IconSearch } from '../../ui/icons.js';
import { Link } from '../../ui/link.js';
import { Mark } from '../../ui/mark.js';
import { useBusiness } from '../business.js';
import { PromptModal } from '../session/prompt-modal.js';
import { AccountMenu } from './account-menu.js';
import { LiveMark } from './live-mark.js';
import { PLACE_GROUPS, PLACES, type Place } from './places.js';
import { Search } from './search.js';
import classes from './shell.module.css';

export function Shell() {
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <div className={classes['shell']}>
        <Sidebar />
        <div className={classes['column']}>
          <TopBar />
          <main id="content" className={classes['content']} tabIndex={-1}>
            <Outlet />
          </main>
        </div>
        <BottomBar />
      </div>
      <Search />
      <PromptModal />
    </>
  );
}

function Sidebar() {
  const { name } = useBusiness();
  return (
    <aside className={classes['sidebar']} aria-label="Business">
      <Link to="/dashboard" className={classes['brand'] ?? ''}>
        <Mark />
        <span className={classes['word']} title={name}>
          {name}
        </span>
      </Link>
      <nav aria-label="Main">
        {PLACE_GROUPS.map(({ label, places }) => (
          <div key={label ?? ''} className={classes['group']}>
            {label && <div className={classes['heading']}>{label}</div>}
            {places.map((place) => (
              <NavItem key={place.to} place={place} />
            ))}
          </div>
        ))}
      </nav>
      <div className={classes['account']}>
        <AccountMenu />
      </div>
    </aside>
  );
}

function NavItem({ place: { to, label, icon: Icon } }: { readonly place: Place }) {
  return (
    <Tooltip label={label} position="right" events={{ hover: true, focus: false, touch: false }} openDelay={300}>
      <Link to={to} activeOptions={{ exact: to === '/dashboard' }} className={classes['item'] ?? ''}>
        <Icon size={20} stroke={1.7} aria-hidden />
        <span className={classes['word']}>{label}</span>
      </Link>
    </Tooltip>
  );
}

function TopBar() {
  return (
    <search className={classes['top']}>
      <Link to="/dashboard" className={classes['brand'] ?? ''} aria-label="Home">
        <Mark />
      </Link>
      <LiveMark />
      <UnstyledButton className={classes['search'] ?? ''} onClick={spotlight.open}>
        <IconSearch size={17} aria-hidden />
        <Text span inherit className={classes['hint'] ?? ''}>
          Search or jump to
        </Text>
        <Kbd size="xs" className={classes['hint'] ?? ''}>
          Ctrl K
        </Kbd>
      </UnstyledButton>
      <div className={classes['phone-account']}>
        <AccountMenu />
      </div>
    </search>
  );
}

/** On phones: four places, and a button for the others. */
function BottomBar() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <nav className={classes['bottom']} aria-label="Main">
        {PLACES.filter(({ onPhones }) => onPhones).map(({ to, label, icon: Icon }) => (
          <Link key={to} to={to} activeOptions={{ exact: to === '/dashboard' }} className={classes['tab'] ?? ''}>
            <Icon size={22} stroke={1.7} aria-hidden />
            {label}
          </Link>
        ))}
        <UnstyledButton className={classes['tab'] ?? ''} onClick={() => setOpen(true)}>
          <IconDots size={22} stroke={1.7} aria-hidden />
          More
        </UnstyledButton>
      </nav>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        position="bottom"
        title="More"
        size="auto"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack gap={4} pb="md">
          {PLACES.filter(({ onPhones }) => !onPhones).map(({ to, label, description, icon: Icon }) => (
            <Link key={to} to={to} className={classes['item'] ?? ''} onClick={() => setOpen(false)}>
              <Icon size={22} stroke={1.7} aria-hidden />
              <span>
                {label}
                <Text span size="sm" c="dimmed" display="block">
                  {description}
                </Text>
              </span>
            </Link>
          ))}
        </Stack>
      </Drawer>
    </>
  );
}

/** For pages about one record: the link to their list. */
export function BackLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <Group gap={4}>
      <Link to={to} className={classes['back'] ?? ''}>
        ← {children}
      </Link>
    </Group>
  );
}
