/** A dialog above the page, without the library's own header, which counts as a second banner of the page. */
import { CloseButton, Group, Modal } from '@mantine/core';
import type { ReactNode } from 'react';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly closeOnClickOutside?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ title, onClose, closeOnClickOutside = true, children }: DialogProps) {
  return (
    <Modal opened onClose={onClose} centered withCloseButton={false} closeOnClickOutside={closeOnClickOutside}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md">
        <Modal.Title fz="1.125rem" fw={650} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Modal.Title>
        <CloseButton aria-label="Close" onClick={onClose} />
      </Group>
      {children}
    </Modal>
  );
}
