/** A text field for fingers, with its label. */
import { type Ref, useId } from 'react';
import classes from './text-field.module.css';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly inputMode?: 'text' | 'decimal' | 'numeric' | 'search';
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
  readonly onEnter?: () => void;
  readonly autoFocus?: boolean;
  readonly type?: 'text' | 'date' | 'time';
  readonly max?: string;
  readonly fieldRef?: Ref<HTMLInputElement>;
}

export function TextField(props: TextFieldProps) {
  const { label, value, onChange, placeholder, maxLength, inputMode, error, hint, onEnter, autoFocus, type, max } =
    props;
  const { fieldRef } = props;
  const id = useId();
  const more = error ?? hint;
  return (
    <div className={classes['field']}>
      <label htmlFor={id}>{label}</label>
      <input
        ref={fieldRef}
        id={id}
        type={type ?? 'text'}
        max={max}
        value={value}
        placeholder={placeholder}
        maxLength={maxLength}
        inputMode={inputMode}
        autoComplete="off"
        aria-invalid={error !== undefined || undefined}
        aria-describedby={more === undefined ? undefined : `${id}-more`}
        data-autofocus={autoFocus || undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && onEnter?.()}
      />
      {more !== undefined && (
        <small id={`${id}-more`} data-error={error !== undefined || undefined}>
          {more}
        </small>
      )}
    </div>
  );
}
