/** A field for a value of a schema: a choice, a text, a number, fields for the members of an object, or JSON for anything else. */
import { Button, Fieldset, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { isSample } from '../../../src/api/sample-ids.js';
import { type DescribedApi, resolve, type Schema } from './described.js';
import { JsonField } from './json-field.js';

export interface ValueFieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly models: DescribedApi['models'];
  /** Undefined: it is left out. */
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly error?: string | undefined;
}

export function ValueField(props: ValueFieldProps) {
  const { name, isRequired, models, value, onChange, error } = props;
  const schema = resolve(props.schema, models);
  const text =
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  const description = isSample(text)
    ? `${schema.description ?? ''} A sample: there is no such record yet.`
    : schema.description;
  const common = { label: name, description, required: isRequired, error };
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum;
  if (choices) {
    const data = text === '' || choices.includes(text) ? choices : [...choices, text];
    const choose = (chosen: string | null) => onChange(chosen === null ? undefined : read(chosen, schema));
    return (
      <Select {...common} data={[...data]} value={text || null} onChange={choose} clearable placeholder="Left out" />
    );
  }
  if (schema.properties && (value === undefined || isObject(value))) {
    return (
      <Fieldset legend={name} radius="md">
        <Members schema={schema} models={models} value={value ?? {}} onChange={onChange} />
      </Fieldset>
    );
  }
  if (schema.type === 'string' || schema.type === 'integer') {
    return (
      <TextInput
        {...common}
        {...(schema.type === 'integer' && { inputMode: 'numeric' })}
        value={text}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === '' ? undefined : read(currentTarget.value, schema))
        }
      />
    );
  }
  return <JsonField label={name} description={description} value={value} onChange={onChange} rows={2} />;
}

/** If there are no more members than this, all are shown at once. */
const FEW = 4;

interface MembersProps {
  readonly schema: Schema;
  readonly models: DescribedApi['models'];
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Readonly<Record<string, unknown>>) => void;
  readonly errors?: Readonly<Record<string, string>>;
}

/** Fields for the members of an object. Those that are required or have a value come first; a button shows the others. */
export function Members({ schema, models, value, onChange, errors = {} }: MembersProps) {
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  const [first] = useState(() => names.filter((name) => required.includes(name) || value[name] !== undefined));
  const [isOpen, setOpen] = useState(names.length <= FEW);
  const shown = isOpen ? names : names.filter((name) => first.includes(name) || value[name] !== undefined);
  return (
    <Stack gap="sm">
      {shown.map((name) => (
        <ValueField
          key={name}
          name={name}
          schema={properties[name] ?? {}}
          isRequired={required.includes(name)}
          models={models}
          value={value[name]}
          onChange={(next) => onChange({ ...value, [name]: next })}
          error={errors[name]}
        />
      ))}
      {!isOpen && shown.length < names.length && (
        <Button variant="subtle" size="compact-sm" w="fit-content" onClick={() => setOpen(true)}>
          {`Show ${names.length - shown.length} more fields`}
        </Button>
      )}
    </Stack>
  );
}

/** What does not fit the type is sent as it was typed: the server says what is wrong with it. */
function read(text: string, { type }: Schema): unknown {
  if (type === 'boolean') return text === 'true';
  return type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
