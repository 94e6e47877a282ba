/** The body of a request: as a form of its schema, or as JSON. */
import { Group, SegmentedControl, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { type DescribedApi, resolve, type Schema } from './described.js';
import { JsonField } from './json-field.js';
import { isObject, Members } from './value-field.js';

interface BodyEditorProps {
  readonly schema: Schema;
  readonly models: DescribedApi['models'];
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

const ROWS = 6;

export function BodyEditor({ schema, models, value, onChange }: BodyEditorProps) {
  const [mode, setMode] = useState('form');
  const resolved = resolve(schema, models);
  // A list, or what was typed as JSON, may have no form.
  const hasForm = resolved.properties !== undefined && (value === undefined || isObject(value));
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={3} size="h5">
          Body
        </Title>
        {hasForm && (
          <SegmentedControl
            size="xs"
            aria-label="How to edit the body"
            data={[
              { value: 'form', label: 'Form' },
              { value: 'json', label: 'JSON' },
            ]}
            value={mode}
            onChange={setMode}
          />
        )}
      </Group>
      {hasForm && mode === 'form' ? (
        <Members schema={resolved} models={models} value={value ?? {}} onChange={onChange} />
      ) : (
        <JsonField label="Body as JSON" value={value} onChange={onChange} rows={ROWS} />
      )}
    </Stack>
  );
}
