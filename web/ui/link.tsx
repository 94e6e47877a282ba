/** A link to another page of the same place. */
import { Link as RouterLink } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import type { Search } from './address.js';

/** The router derives the types of its own properties from typed routes. Ours are not typed, and the compiler needed seconds for it. */
interface LinkProps {
  readonly to: string;
  /** The parameters, or a function of those that the address has. */
  readonly search?: Search | ((before: Search) => Search);
  /** When the link counts as the current one. */
  readonly activeOptions?: { readonly exact?: boolean; readonly includeSearch?: boolean };
  readonly resetScroll?: boolean;
  readonly onClick?: () => void;
  readonly className?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-current'?: boolean;
  readonly ref?: Ref<HTMLAnchorElement>;
  readonly children?: ReactNode;
}

export function Link({ search, ...rest }: LinkProps) {
  return <RouterLink {...rest} {...(search && { search: search as never })} />;
}
