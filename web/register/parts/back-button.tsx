/** The way back, at the top left of a screen. */
import type { ReactNode } from 'react';
import { IconArrowLeft } from '../../ui/icons.js';
import classes from './back-button.module.css';

export function BackButton({ children, onClick }: { readonly children: ReactNode; readonly onClick: () => void }) {
  return (
    <button type="button" className={classes['back']} onClick={onClick}>
      <IconArrowLeft size={22} aria-hidden /> {children}
    </button>
  );
}
