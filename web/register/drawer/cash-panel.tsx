/** Cash that goes in or out without a sale: how much, and what for. */
import { useState } from 'react';
import { amount } from '../../../src/base/money.js';
import { printMoney } from '../../ui/money.js';
import { paidIn, paidOut } from '../core/drawer.js';
import { AmountPad } from '../parts/amount-pad.js';
import { useAttempt } from '../parts/attempt.js';
import { BigButton } from '../parts/big-button.js';
import { Panel } from '../parts/panel.js';
import { TextField } from '../parts/text-field.js';

interface CashPanelProps {
  readonly direction: 'in' | 'out';
  readonly currency: string;
  readonly onClose: () => void;
}

export function CashPanel({ direction, currency, onClose }: CashPanelProps) {
  const [cash, setCash] = useState(0);
  const [reason, setReason] = useState('');
  const { attempt, isBusy } = useAttempt();
  const isIn = direction === 'in';
  const sum = printMoney({ amount: cash, currency });
  const submit = async (): Promise<void> => {
    if (cash === 0) return;
    const record = isIn ? paidIn : paidOut;
    const isDone = await attempt(() => record(amount(cash), reason.trim() || undefined), `${sum} paid ${direction}.`);
    if (isDone) onClose();
  };
  return (
    <Panel
      title={isIn ? 'Paid in' : 'Paid out'}
      size={420}
      onClose={onClose}
      footer={
        <BigButton tone="main" isTall isDisabled={cash === 0} isBusy={isBusy} onClick={submit}>
          {cash === 0 ? 'Type an amount' : isIn ? `Put ${sum} in` : `Take ${sum} out`}
        </BigButton>
      }
    >
      <AmountPad label="Amount" value={cash} currency={currency} onChange={setCash} onEnter={submit} />
      <TextField
        label="What for"
        placeholder={isIn ? 'More coins' : 'Window cleaner'}
        value={reason}
        onChange={setReason}
        maxLength={255}
      />
    </Panel>
  );
}
