/** Asks before something is done that cannot be undone, with buttons for fingers. */
import type { ReactNode } from 'react';
import { useAttempt } from './attempt.js';
import { BigButton } from './big-button.js';
import { ButtonRow } from './button-row.js';
import { Panel } from './panel.js';

interface ConfirmPanelProps {
  readonly title: string;
  readonly submitLabel: string;
  /** Default: `Keep it`. */
  readonly keepLabel?: string;
  /** Something is still missing. */
  readonly isDisabled?: boolean;
  readonly onConfirm: () => Promise<unknown>;
  readonly onClose: () => void;
  /** What will happen. */
  readonly children: ReactNode;
}

export function ConfirmPanel({
  title,
  submitLabel,
  keepLabel = 'Keep it',
  isDisabled = false,
  onConfirm,
  onClose,
  children,
}: ConfirmPanelProps) {
  const { attempt, isBusy } = useAttempt();
  return (
    <Panel
      title={title}
      size={460}
      onClose={onClose}
      footer={
        <ButtonRow>
          <BigButton onClick={onClose}>{keepLabel}</BigButton>
          <BigButton
            tone="danger"
            isBusy={isBusy}
            isDisabled={isDisabled}
            onClick={async () => {
              if (await attempt(onConfirm)) onClose();
            }}
          >
            {submitLabel}
          </BigButton>
        </ButtonRow>
      }
    >
      {children}
    </Panel>
  );
}
