/** A link inside text or a table. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

export function TextLink({ to, children }: { readonly to: string; readonly children: ReactNode }) {
  return (
    <Link to={to} className={classes['link'] ?? ''}>
      {children}
    </Link>
  );
}
