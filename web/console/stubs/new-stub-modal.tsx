/** Writes a stub as JSON, and adds it. */
import { Anchor, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';
import { JsonField } from '../try/json-field.js';

const ROWS = 12;

interface NewStubModalProps {
  /** What stands there first. */
  readonly stub: Readonly<Record<string, unknown>>;
  readonly onClose: () => void;
}

export function NewStubModal({ stub, onClose }: NewStubModalProps) {
  const [value, setValue] = useState<unknown>(stub);
  const saved = useSaved();
  const add = async () => {
    await call(sandbox.addStub, { stub: value as never });
    await saved('The stub is added');
  };
  return (
    <FormModal
      title="Add a stub"
      submitLabel="Add"
      isReady={typeof value === 'object'}
      onClose={onClose}
      onSubmit={add}
    >
      {() => (
        <>
          <Text c="dimmed" size="sm">
            Requests that match are answered with this from now on.{' '}
            <Anchor href="/docs/guides/stubs" target="_blank" inherit>
              What a stub can have
            </Anchor>
          </Text>
          <JsonField label="The stub as JSON" rows={ROWS} value={value} onChange={setValue} />
        </>
      )}
    </FormModal>
  );
}
