/** Figures in one line, such as on top of a page. */
import type { ReactNode } from 'react';
import classes from './figures.module.css';

export interface Figure {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl className={classes['figures']}>
      {figures.map(({ name, value, note }) => (
        <div key={name} className={classes['figure']}>
          <dt>{name}</dt>
          <dd className={classes['value']}>{value}</dd>
          {note && <dd className={classes['note']}>{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
