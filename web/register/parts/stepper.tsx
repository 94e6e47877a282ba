/** A quantity with a minus and a plus. */
import { IconMinus, IconPlus } from '../../ui/icons.js';
import classes from './stepper.module.css';

interface StepperProps {
  readonly label: string;
  readonly value: number;
  readonly min?: number;
  readonly max?: number;
  readonly onChange: (value: number) => void;
}

export function Stepper({ label, value, min = 1, max = 999, onChange }: StepperProps) {
  return (
    <fieldset className={classes['stepper']} aria-label={label}>
      <button type="button" aria-label="One less" disabled={value <= min} onClick={() => onChange(value - 1)}>
        <IconMinus size={22} aria-hidden />
      </button>
      <output aria-label={label}>{value}</output>
      <button type="button" aria-label="One more" disabled={value >= max} onClick={() => onChange(value + 1)}>
        <IconPlus size={22} aria-hidden />
      </button>
    </fieldset>
  );
}
