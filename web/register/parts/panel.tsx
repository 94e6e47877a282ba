/** A dialog for fingers: a large close button, a body that scrolls, and its actions always in sight. On phones it slides up. */
import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconX } from '../../ui/icons.js';
import { IconButton } from './icon-button.js';
import classes from './panel.module.css';

interface PanelProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly size?: number;
  /** Below the body, always in sight. */
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

export function Panel({ title, onClose, size = 560, footer, children }: PanelProps) {
  return (
    <Modal
      opened
      centered
      onClose={onClose}
      withCloseButton={false}
      size={size}
      padding={0}
      radius={20}
      transitionProps={{ duration: 120 }}
      classNames={{
        inner: classes['inner'] ?? '',
        content: classes['content'] ?? '',
        body: classes['body'] ?? '',
      }}
    >
      <div className={classes['head']}>
        <Modal.Title className={classes['title'] ?? ''}>{title}</Modal.Title>
        <IconButton label="Close" icon={IconX} onClick={onClose} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls is reached by the keyboard */}
      <section className={classes['scroll']} tabIndex={0} aria-label={title}>
        {children}
      </section>
      {footer && <div className={classes['foot']}>{footer}</div>}
    </Modal>
  );
}
