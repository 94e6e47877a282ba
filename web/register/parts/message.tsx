/** Something that has to be read where it stands: an icon and words on a soft colour. */
import type { ReactNode } from 'react';
import type { Icon } from '../../ui/icon.js';
import { IconAlertTriangle } from '../../ui/icons.js';
import classes from './message.module.css';

interface MessageProps {
  readonly tone: 'danger' | 'warning' | 'good';
  readonly icon?: Icon;
  readonly title?: string;
  /** `alert` interrupts a screen reader; `status` waits until it pauses. Default: neither. */
  readonly role?: 'alert' | 'status';
  readonly children: ReactNode;
}

export function Message({ tone, icon: Icon = IconAlertTriangle, title, role, children }: MessageProps) {
  return (
    <div className={classes['message']} data-tone={tone} role={role}>
      <Icon size={22} stroke={1.8} aria-hidden />
      <div>
        {title !== undefined && <strong>{title}</strong>}
        <p>{children}</p>
      </div>
    </div>
  );
}
