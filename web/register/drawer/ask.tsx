/** Asks before a drawer is ended or closed, with the figures: neither can be undone. */
import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import { COUNT_NOTE } from '../../ui/drawer-report.js';
import { printMoney } from '../../ui/money.js';
import { BigButton } from '../parts/big-button.js';
import { ButtonRow } from '../parts/button-row.js';
import { ConfirmPanel } from '../parts/confirm-panel.js';
import { Panel } from '../parts/panel.js';
import { PaperLine } from '../parts/paper-lines.js';
import { TextField } from '../parts/text-field.js';
import { differenceWords } from './difference-words.js';

interface AskProps {
  readonly currency: string;
  /** Absent for somebody who may not see reports: the count is blind. */
  readonly expected: number | undefined;
  readonly onClose: () => void;
}

/** Earlier messages would cover the figures. */
function useClearView(): void {
  useEffect(() => notifications.clean(), []);
}

interface AskToEndProps extends AskProps {
  readonly opened: number;
  readonly onConfirm: () => Promise<unknown>;
}

export function AskToEnd({ opened, currency, expected, ...ask }: AskToEndProps) {
  const print = (amount: number) => printMoney({ amount, currency });
  useClearView();
  return (
    <ConfirmPanel title="End the shift?" submitLabel="End it" keepLabel="Go on selling" {...ask}>
      <p>Then the cash is counted. Cash that is taken until a drawer is open again will be in no drawer.</p>
      <PaperLine label="Opened with" value={print(opened)} />
      {expected !== undefined && <PaperLine label="Expected cash" value={print(expected)} isStrong />}
    </ConfirmPanel>
  );
}

interface AskToCloseProps extends AskProps {
  readonly counted: number;
  readonly onConfirm: (note: string | undefined) => Promise<unknown>;
}

/** Who sees a difference says why. Who counts blindly may say something. */
export function AskToClose({ counted, currency, expected, onConfirm, onClose }: AskToCloseProps) {
  const [note, setNote] = useState('');
  const print = (amount: number) => printMoney({ amount, currency });
  const given = note.trim() || undefined;
  const isBlind = expected === undefined;
  const difference = isBlind ? 0 : counted - expected;
  const words = differenceWords(difference, currency);
  useClearView();
  return (
    <ConfirmPanel
      title="Close the drawer?"
      submitLabel={`Close with ${print(counted)}`}
      keepLabel="Count again"
      isDisabled={difference !== 0 && given === undefined}
      onConfirm={() => onConfirm(given)}
      onClose={onClose}
    >
      <PaperLine label="Counted" value={print(counted)} isStrong />
      {!isBlind && (
        <>
          <PaperLine label="Expected cash" value={print(expected)} />
          <PaperLine label="Difference" value={words} isStrong />
        </>
      )}
      {(isBlind || difference !== 0) && (
        <TextField
          label={isBlind ? `${COUNT_NOTE} (optional)` : `Why is it ${words}?`}
          hint={`${isBlind ? '' : 'Needed to close. '}The Z report shows it.`}
          placeholder={difference > 0 ? 'A buyer left the change' : 'Gave too much change'}
          value={note}
          onChange={setNote}
          maxLength={255}
        />
      )}
    </ConfirmPanel>
  );
}

/** Nothing was counted: perhaps somebody forgot to. */
export function AskIfEmpty({ onEmpty, onClose }: { readonly onEmpty: () => void; readonly onClose: () => void }) {
  return (
    <Panel
      title="Is the drawer empty?"
      size={460}
      onClose={onClose}
      footer={
        <ButtonRow>
          <BigButton onClick={onClose}>Count the cash</BigButton>
          <BigButton tone="danger" onClick={onEmpty}>
            Yes, it is empty
          </BigButton>
        </ButtonRow>
      }
    >
      No note and no coin was counted.
    </Panel>
  );
}
