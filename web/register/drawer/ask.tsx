/** Asks before a drawer is ended or closed, with the figures: neither can be undone. */
import { notifications } from '@mantine/notifications';
import { useEffect } from 'react';
import { printMoney } from '../../ui/money.js';
import { BigButton } from '../parts/big-button.js';
import { ButtonRow } from '../parts/button-row.js';
import { ConfirmPanel } from '../parts/confirm-panel.js';
import { Panel } from '../parts/panel.js';
import { PaperLine } from '../parts/paper-lines.js';
import { differenceWords } from './difference-words.js';

interface AskProps {
  readonly currency: string;
  /** Absent for somebody who may not see reports: the count is blind. */
  readonly expected: number | undefined;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Earlier messages would cover the figures. */
function useClearView(): void {
  useEffect(() => notifications.clean(), []);
}

export function AskToEnd({ opened, currency, expected, ...ask }: AskProps & { readonly opened: number }) {
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

export function AskToClose({ counted, currency, expected, ...ask }: AskProps & { readonly counted: number }) {
  const print = (amount: number) => printMoney({ amount, currency });
  useClearView();
  return (
    <ConfirmPanel
      title="Close the drawer?"
      submitLabel={`Close with ${print(counted)}`}
      keepLabel="Count again"
      {...ask}
    >
      <PaperLine label="Counted" value={print(counted)} isStrong />
      {expected !== undefined && (
        <>
          <PaperLine label="Expected cash" value={print(expected)} />
          <PaperLine label="Difference" value={differenceWords(counted - expected, currency)} isStrong />
        </>
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
