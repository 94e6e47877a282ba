/** Filters and sorting live in the address bar, so that a link or a reload shows the same. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type Search = Readonly<Record<string, string>>;

/** The router's own format turns `?id=12` into a number. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function printSearch(search: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/**
 * The value of one parameter, and a function that replaces it without a new entry in the history. With several names: the first value,
 * and a function that replaces all.
 */
export function useAddress(
  name: string | readonly string[],
): [string | undefined, (value: string | undefined) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const names = typeof name === 'string' ? name : name.join(' ');
  const set = useCallback(
    (value: string | undefined) => {
      const given = Object.fromEntries(names.split(' ').map((each) => [each, value]));
      void navigate({ to: '.', search: ((before: Search) => ({ ...before, ...given })) as never, replace: true });
    },
    [names, navigate],
  );
  return [search[names.split(' ', 1)[0] ?? ''], set];
}

/** A dialog that a link can open: `?new=yes`. */
export function useDialogAddress(name: string): [boolean, (isOpen: boolean) => void] {
  const [value, set] = useAddress(name);
  return [value !== undefined, useCallback((isOpen: boolean) => set(isOpen ? 'yes' : undefined), [set])];
}

/** Replaces several parameters at once. */
export function useChangeAddress(): (changes: Readonly<Record<string, string | undefined>>) => void {
  const navigate = useNavigate();
  return useCallback(
    (changes) => {
      const change = (before: Search) => ({ ...before, ...changes });
      void navigate({ to: '.', search: change as never, replace: true });
    },
    [navigate],
  );
}
