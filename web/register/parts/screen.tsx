/** A screen of the register besides selling: a title, what can be done there, and content of a readable width. */
import type { ReactNode } from 'react';
import classes from './screen.module.css';

interface ScreenProps {
  readonly title: string;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Screen({ title, note, actions, children }: ScreenProps) {
  return (
    <div className={classes['screen']}>
      <div className={classes['content']}>
        <div className={classes['head']}>
          <div>
            <h1>{title}</h1>
            {note !== undefined && <p>{note}</p>}
          </div>
          {actions !== undefined && <div className={classes['actions']}>{actions}</div>}
        </div>
        {children}
      </div>
    </div>
  );
}

export function Box({ title, children }: { readonly title?: string; readonly children: ReactNode }) {
  return (
    <section className={classes['box']} aria-label={title}>
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  );
}
