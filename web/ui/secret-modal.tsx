/** Shows a secret that the server shows only once. */
import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.js';
import { IconAlertTriangle, IconCheck, IconCopy } from './icons.js';

interface SecretModalProps {
  readonly title: string;
  readonly secret: string;
  /** What the secret is for. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

export function SecretModal({ title, secret, children, onClose }: SecretModalProps) {
  return (
    <Dialog title={title} onClose={onClose} closeOnClickOutside={false}>
      <Stack>
        <Text>{children}</Text>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {secret}
        </Code>
        <Alert variant="light" color="yellow" icon={<IconAlertTriangle size={20} />}>
          <Text inherit c="var(--mantine-color-text)">
            Copy it now. It is not shown again.
          </Text>
        </Alert>
        <Group justify="flex-end" gap="xs">
          <CopyButton value={secret}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                leftSection={copied ? <IconCheck size={18} /> : <IconCopy size={18} />}
                onClick={copy}
              >
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
