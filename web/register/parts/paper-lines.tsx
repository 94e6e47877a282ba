/** The parts of a printed strip: a heading, lines with an amount at the right, and rules between them. */
import type { ReactNode } from 'react';
import { printMoney } from '../../ui/money.js';
import classes from './paper-lines.module.css';
import type { WireFoundSale } from './wire.js';

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

interface PaperSumsProps {
  readonly lines: WireFoundSale['receipt_lines'];
}

/** The sums of a receipt, as the server says them. */
export function PaperSums({ lines }: PaperSumsProps) {
  return lines.map(({ name, amount_money, is_sum }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two lines can have the same name, and the order never changes
    <PaperLine key={index} label={name} value={printMoney(amount_money)} isStrong={is_sum} />
  ));
}

export function PaperRule() {
  return <hr className={classes['rule']} />;
}
