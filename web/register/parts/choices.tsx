/** A few choices side by side, of which one is chosen. */
import classes from './choices.module.css';

interface ChoicesProps<Value> {
  readonly label: string;
  /** Whether the label is seen. It is always read aloud. */
  readonly isLabelShown?: boolean;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly chosen: Value | undefined;
  readonly onChoose: (value: Value) => void;
}

export function Choices<Value extends string | number>(props: ChoicesProps<Value>) {
  const { label, isLabelShown = false, options, chosen, onChoose } = props;
  return (
    <fieldset className={classes['group']} aria-label={isLabelShown ? undefined : label}>
      {isLabelShown && <legend>{label}</legend>}
      <div className={classes['choices']}>
        {options.map(({ value, label: word }) => (
          <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
            {word}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
