/** A menu with entries for fingers. It stays beside its button in the page, where screen readers find it. */
import { Menu } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import classes from './touch-menu.module.css';

interface TouchMenuProps {
  readonly width: number;
  /** What opens it. */
  readonly target: ReactElement;
  readonly children: ReactNode;
}

export function TouchMenu({ width, target, children }: TouchMenuProps) {
  return (
    <Menu
      position="bottom-end"
      width={width}
      radius="lg"
      shadow="md"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown className={classes['menu'] ?? ''}>{children}</Menu.Dropdown>
    </Menu>
  );
}
