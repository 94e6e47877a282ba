/** Sells something that is not in the catalogue: an amount and a name. */
import { useState } from 'react';
import { printMoney } from '../../ui/money.js';
import { AmountPad } from '../parts/amount-pad.js';
import { BigButton } from '../parts/big-button.js';
import { Panel } from '../parts/panel.js';
import { TextField } from '../parts/text-field.js';

interface CustomAmountProps {
  readonly currency: string;
  readonly onAdd: (line: { readonly name: string; readonly amount: number }) => void;
  readonly onClose: () => void;
}

export function CustomAmount({ currency, onAdd, onClose }: CustomAmountProps) {
  const [amount, setAmount] = useState(0);
  const [name, setName] = useState('');
  const add = (): void => {
    if (amount > 0) onAdd({ name: name.trim() || 'Custom amount', amount });
  };
  return (
    <Panel
      title="Custom amount"
      size={420}
      onClose={onClose}
      footer={
        <BigButton tone="main" isTall isDisabled={amount === 0} onClick={add}>
          {amount === 0 ? 'Type an amount' : `Add ${printMoney({ amount, currency })}`}
        </BigButton>
      }
    >
      <AmountPad label="Amount" value={amount} currency={currency} onChange={setAmount} onEnter={add} />
      <TextField label="What it is" placeholder="Custom amount" value={name} onChange={setName} maxLength={255} />
    </Panel>
  );
}
