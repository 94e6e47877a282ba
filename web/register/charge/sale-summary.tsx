/** What is sold and what was paid of it, beside the payment. */

import { IconCircleCheck } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { totalsOf } from '../core/totals.js';
import { lineAmount } from '../sell/cart-line.js';
import classes from './charge.module.css';
import type { Charging } from './charging.js';

export function SaleSummary({
  state: { cart, taken, due },
  currency,
}: {
  readonly state: Charging;
  readonly currency: string;
}) {
  const totals = totalsOf(cart);
  const print = (amount: number) => printMoney({ amount, currency });
  return (
    <aside className={classes['summary']} aria-label="Sale">
      <h2>{cart.label ?? 'Sale'}</h2>
      <ol className={classes['lines']}>
        {cart.lines.map((line, index) => (
          <li key={line.key}>
            <span>
              {line.name}
              {line.quantity !== '1' && ` × ${line.quantity}`}
              {line.modifiers.length > 0 && <small>{line.modifiers.map(({ name }) => name).join(', ')}</small>}
            </span>
            <span>{totals.receipt && print(lineAmount(totals.receipt, index))}</span>
          </li>
        ))}
      </ol>
      <div className={classes['sums']}>
        {totals.discount !== 0 && <Sum label="Discounts" value={print(totals.discount)} />}
        {totals.receipt?.taxes.map(({ name, applied, inclusion }) => (
          <Sum key={name} label={inclusion === 'INCLUSIVE' ? `${name}, included` : name} value={print(applied)} />
        ))}
        <Sum label="Total" value={print(totals.total)} isStrong />
        {totals.returned > 0 && <Sum label="Returned goods" value={print(-totals.returned)} />}
        {cart.paid !== undefined && cart.paid > 0 && <Sum label="Paid already" value={print(-cart.paid)} />}
        {taken.map(({ name, amount, tip, change = 0 }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: tenders are only added
          <div key={index} className={classes['taken']}>
            <span>
              <IconCircleCheck size={20} stroke={1.8} aria-hidden /> {name}
              {tip > 0 && <small> with a tip of {print(tip)}</small>}
              {change > 0 && <small> {print(change)} back</small>}
            </span>
            <span>{print(amount)}</span>
          </div>
        ))}
        {taken.length > 0 && <Sum label="Left to pay" value={print(due)} isStrong />}
      </div>
    </aside>
  );
}

function Sum({ label, value, isStrong = false }: { label: string; value: string; isStrong?: boolean }) {
  return (
    <div className={classes['sum']} data-strong={isStrong || undefined}>
      <span>{label}</span>
      <span>{value}</span>
    </div>
  );
}
