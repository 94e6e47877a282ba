/** Gives the sale a name, such as a table or a person. */
import { useState } from 'react';
import { BigButton } from '../parts/big-button.js';
import { Panel } from '../parts/panel.js';
import { TextField } from '../parts/text-field.js';

interface NamePanelProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly name: string;
  readonly onSubmit: (name: string) => unknown;
  readonly onClose: () => void;
}

const SUGGESTED = ['Table 1', 'Table 2', 'Table 3', 'Table 4', 'Bar', 'Takeaway'];

export function NamePanel({ title, submitLabel, name: before, onSubmit, onClose }: NamePanelProps) {
  const [name, setName] = useState(before);
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    try {
      await onSubmit(name.trim());
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel
      title={title}
      size={460}
      onClose={onClose}
      footer={
        <BigButton tone="main" isTall isBusy={isBusy} onClick={submit}>
          {submitLabel}
        </BigButton>
      }
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={60} onEnter={submit} autoFocus />
      <div style={{ display: 'grid', gridTemplateColumns: 'repeat(3, 1fr)', gap: 10, marginTop: 14 }}>
        {SUGGESTED.map((suggested) => (
          <BigButton key={suggested} onClick={() => setName(suggested)}>
            {suggested}
          </BigButton>
        ))}
      </div>
    </Panel>
  );
}
