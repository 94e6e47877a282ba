/** A value as JSON. The field shows an error while the text is not JSON, and nothing is sent. */
import { Textarea } from '@mantine/core';
import { useEffect, useState } from 'react';

interface JsonFieldProps {
  readonly label: string;
  readonly description?: string | undefined;
  readonly rows: number;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

export function JsonField({ label, description, rows, value, onChange }: JsonFieldProps) {
  const printed = value === undefined ? '' : JSON.stringify(value, null, 2);
  const [text, setText] = useState(printed);
  const { error } = readJson(text);
  useEffect(() => {
    // Another field has changed the value.
    setText((before) => (JSON.stringify(readJson(before).value) === JSON.stringify(value) ? before : printed));
  }, [value, printed]);
  return (
    <Textarea
      label={label}
      description={description}
      autosize
      minRows={rows}
      maxRows={24}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
      value={text}
      error={error}
      data-bad-json={error === undefined ? undefined : true}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        const read = readJson(currentTarget.value);
        if (read.error === undefined) onChange(read.value);
      }}
    />
  );
}

/** An empty text is no value. */
function readJson(text: string): { readonly value?: unknown; readonly error?: string } {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: `This is not JSON. ${(error as Error).message}` };
  }
}
