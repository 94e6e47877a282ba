/** Buttons side by side, all of one width. */
import type { ReactNode } from 'react';
import classes from './button-row.module.css';

export function ButtonRow({ children }: { readonly children: ReactNode }) {
  return <div className={classes['row']}>{children}</div>;
}
