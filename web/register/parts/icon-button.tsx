/** A quiet button of 48 px that is only an icon. Its label is read aloud, and shown where a pointer rests. */
import type { ComponentProps } from 'react';
import type { Icon } from '../../ui/icon.js';
import classes from './icon-button.module.css';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'className' | 'type'> {
  readonly label: string;
  readonly icon: Icon;
  readonly iconSize?: number;
}

/** Passes on all other attributes of a button, because a menu adds its own. */
export function IconButton({ label, icon: Icon, iconSize = 24, ...rest }: IconButtonProps) {
  return (
    <button {...rest} type="button" className={classes['button']} aria-label={label} title={label}>
      <Icon size={iconSize} stroke={1.7} aria-hidden />
    </button>
  );
}
