/** An id in monospace with a button that copies it. */
import { ActionIcon, CopyButton, Group, Text, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from './icons.js';

export function CopyId({ id, label = 'id' }: { readonly id: string; readonly label?: string }) {
  return (
    <Group gap={4} wrap="nowrap" maw="100%">
      <Text ff="monospace" size="sm" truncate title={id}>
        {id}
      </Text>
      <CopyButton value={id}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
            <ActionIcon size="sm" variant="subtle" color="gray" onClick={copy} aria-label={`Copy ${label}`}>
              {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
