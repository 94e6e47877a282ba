/** Adds a receiver with an address, for all kinds of events or some. */
import { MultiSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { V2_EVENT_KINDS, type V2EventKind } from '../../../src/events/model.js';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';

interface NewReceiverModalProps {
  readonly merchantId: string;
  readonly onClose: () => void;
}

export function NewReceiverModal({ merchantId, onClose }: NewReceiverModalProps) {
  const [url, setUrl] = useState('');
  const [kinds, setKinds] = useState<readonly string[]>([]);
  const saved = useSaved();
  const add = async () => {
    await call(sandbox.openReceiver, {
      merchant_id: merchantId,
      notification_url: url.trim(),
      ...(kinds.length > 0 && { event_types: kinds as V2EventKind[] }),
    });
    await saved('The receiver gets events from now on');
  };
  return (
    <FormModal title="Add a receiver" submitLabel="Add" onClose={onClose} onSubmit={add} isReady={url.trim() !== ''}>
      {(errorOf) => (
        <>
          <TextInput
            label="Address"
            description="It gets an application of its own, with a signature key."
            placeholder="http://localhost:3000/webhooks"
            required
            data-autofocus
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            error={errorOf('notification_url')}
          />
          <MultiSelect
            label="Kinds of events"
            placeholder={kinds.length === 0 ? 'All' : ''}
            data={V2_EVENT_KINDS as V2EventKind[]}
            value={kinds as string[]}
            onChange={setKinds}
            error={errorOf('event_types')}
            clearable
          />
        </>
      )}
    </FormModal>
  );
}
