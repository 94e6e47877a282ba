/** A switch of 48 px with its label. */
import classes from './switch.module.css';

interface SwitchProps {
  readonly label: string;
  readonly note?: string | undefined;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Switch({ label, note, isOn, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      className={classes['switch']}
      onClick={() => onChange(!isOn)}
    >
      <span>
        {label}
        {note !== undefined && <small>{note}</small>}
      </span>
      <span className={classes['track']} aria-hidden />
    </button>
  );
}
