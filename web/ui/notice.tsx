/** Something that the owner should know before going on: an icon, a title and a text. */
import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconAlertTriangle } from './icons.js';

interface NoticeProps {
  readonly tone: 'warning' | 'danger';
  readonly title: string;
  readonly children: ReactNode;
}

export function Notice({ tone, title, children }: NoticeProps) {
  const color = `var(--${tone}-text)`;
  return (
    <Alert
      icon={<IconAlertTriangle size={20} />}
      title={title}
      styles={{
        root: { backgroundColor: `var(--${tone}-soft)`, borderColor: 'transparent' },
        icon: { color },
        title: { color },
      }}
    >
      <Text component="div" inherit c="var(--mantine-color-text)">
        {children}
      </Text>
    </Alert>
  );
}
