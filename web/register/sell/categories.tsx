/** The categories as a row of chips, and the field that finds items by name or code. */
import { memo } from 'react';
import { IconSearch, IconX } from '../../ui/icons.js';
import classes from './categories.module.css';

interface CategoriesProps {
  readonly categories: readonly { readonly id: string; readonly name: string }[];
  /** Undefined: all items. */
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}

export const Categories = memo(function Categories({ categories, chosen, onChoose }: CategoriesProps) {
  const chip = (id: string | undefined, name: string) => (
    <button
      key={id ?? 'all'}
      type="button"
      className={classes['chip']}
      aria-pressed={id === chosen}
      onClick={() => onChoose(id)}
    >
      {name}
    </button>
  );
  return (
    <fieldset className={classes['chips']} aria-label="Categories">
      {chip(undefined, 'All')}
      {categories.map(({ id, name }) => chip(id, name))}
    </fieldset>
  );
});

interface SearchFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Enter: a code that was typed or scanned, or the only item that is found. */
  readonly onEnter: () => void;
  readonly isWide?: boolean;
}

export function SearchField({ value, onChange, onEnter, isWide = false }: SearchFieldProps) {
  return (
    <div className={classes['search']} data-wide={isWide || undefined}>
      <IconSearch size={22} stroke={1.7} aria-hidden />
      <input
        type="search"
        aria-label="Search or scan"
        placeholder="Search or scan"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onEnter();
          if (event.key === 'Escape') onChange('');
        }}
      />
      {value !== '' && (
        <button type="button" aria-label="Clear the search" onClick={() => onChange('')}>
          <IconX size={20} aria-hidden />
        </button>
      )}
    </div>
  );
}
