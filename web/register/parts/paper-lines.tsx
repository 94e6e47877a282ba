/** The parts of a printed strip: a heading, lines with an amount at the right, and rules between them. */
import type { ReactNode } from 'react';
import classes from './paper-lines.module.css';

export function PaperHead({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={classes['head']}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}

interface PaperLineProps {
  readonly label: ReactNode;
  readonly value?: ReactNode;
  readonly isStrong?: boolean;
  readonly isIndented?: boolean;
}

export function PaperLine({ label, value, isStrong = false, isIndented = false }: PaperLineProps) {
  return (
    <div
      className={classes['line']}
      data-line
      data-strong={isStrong || undefined}
      data-indented={isIndented || undefined}
    >
      <span>{label}</span>
      <span>{value}</span>
    </div>
  );
}

export function PaperRule() {
  return <hr className={classes['rule']} />;
}
