/** A link inside text, to another page of the same place. */

import type { ReactNode } from 'react';
import type { Search } from './address.js';
import { Link } from './link.js';
import classes from './text-link.module.css';

interface TextLinkProps {
  readonly to: string;
  /** The parameters, or a function of those that the address has. */
  readonly search?: Search | ((before: Search) => Search);
  readonly children: ReactNode;
}

export function TextLink({ to, search, children }: TextLinkProps) {
  return (
    <Link to={to} {...(search && { search })} className={classes['link'] ?? ''}>
      {children}
    </Link>
  );
}
