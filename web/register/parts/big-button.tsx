/** A button that is hit without looking: at least 56 px high, with an icon, a word, and a second line where it helps. */
import type { ReactNode } from 'react';
import type { Icon } from '../../ui/icon.js';
import classes from './big-button.module.css';

interface BigButtonProps {
  readonly children: ReactNode;
  readonly onClick?: (() => void) | undefined;
  readonly type?: 'button' | 'submit';
  readonly tone?: 'main' | 'plain' | 'danger' | 'quiet';
  readonly icon?: Icon | undefined;
  /** Smaller, below the word. */
  readonly note?: ReactNode;
  readonly isDisabled?: boolean;
  readonly isBusy?: boolean;
  /** The Charge button: 64 px. */
  readonly isTall?: boolean;
  readonly autoFocus?: boolean;
  readonly label?: string;
}

export function BigButton(props: BigButtonProps) {
  const { children, onClick, type = 'button', tone = 'plain', icon: Icon, note } = props;
  const { isDisabled = false, isBusy = false, isTall = false, autoFocus = false, label } = props;
  return (
    <button
      type={type}
      className={classes['button']}
      data-tone={tone}
      data-tall={isTall || undefined}
      disabled={isDisabled || isBusy}
      aria-busy={isBusy || undefined}
      aria-label={label}
      data-autofocus={autoFocus || undefined}
      onClick={onClick}
    >
      {Icon && <Icon size={24} stroke={1.7} aria-hidden />}
      <span className={classes['words']}>
        <span>{isBusy ? 'One moment …' : children}</span>
        {note !== undefined && <small>{note}</small>}
      </span>
    </button>
  );
}
