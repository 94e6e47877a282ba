/** A link inside text, to another page of the same place. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from './address.js';
import classes from './text-link.module.css';

interface TextLinkProps {
  readonly to: string;
  /** The parameters, or a function of those that the address has. */
  readonly search?: Search | ((before: Search) => Search);
  readonly children: ReactNode;
}

export function TextLink({ to, search, children }: TextLinkProps) {
  return (
    <Link to={to} {...(search && { search: search as never })} className={classes['link'] ?? ''}>
      {children}
    </Link>
  );
}
