/** A list of things to tap: a title, a note, and a value at the right. */
import type { ReactNode } from 'react';
import { IconChevronRight } from '../../ui/icons.js';
import { Tag } from '../../ui/tag.js';
import classes from './rows.module.css';

export function Rows({ children }: { readonly children: ReactNode }) {
  return (
    <ul className={classes['rows']} data-state="full">
      {children}
    </ul>
  );
}

interface RowProps {
  readonly title: ReactNode;
  readonly note?: ReactNode;
  readonly value?: ReactNode;
  readonly tag?: string | undefined;
  readonly onClick: () => void;
  readonly isDisabled?: boolean;
}

export function Row({ title, note, value, tag, onClick, isDisabled = false }: RowProps) {
  return (
    <li>
      <button type="button" className={classes['row']} disabled={isDisabled} onClick={onClick}>
        <span className={classes['words']}>
          <strong>{title}</strong>
          {note !== undefined && <small>{note}</small>}
        </span>
        {tag !== undefined && <Tag tone="warning">{tag}</Tag>}
        {value !== undefined && <span className={classes['value']}>{value}</span>}
        <IconChevronRight size={20} aria-hidden />
      </button>
    </li>
  );
}
