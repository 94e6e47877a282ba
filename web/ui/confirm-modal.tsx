/** A dialog that asks before something happens that cannot be undone, in words and with exact figures. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormModal } from './form-modal.js';

interface ConfirmModalProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly danger?: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<unknown>;
  /** What will happen. */
  readonly children: ReactNode;
}

export function ConfirmModal({ children, onConfirm, ...dialog }: ConfirmModalProps) {
  return (
    <FormModal {...dialog} onSubmit={onConfirm}>
      {() => <Text>{children}</Text>}
    </FormModal>
  );
}
