/** A titled part of the form of a location. */
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Edit } from '../../ui/edit.js';
import { Card } from '../../ui/states.js';
import type { LocationDraft } from './draft.js';

export interface FormPart {
  readonly edit: Edit<LocationDraft>;
  readonly errorOf: (field: string) => string | undefined;
}

interface SectionProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, description, children }: SectionProps) {
  return (
    <Card padded>
      <Title order={2} size="h4" mb={description ? 2 : 'md'}>
        {title}
      </Title>
      {description && (
        <Text c="dimmed" size="sm" mb="md">
          {description}
        </Text>
      )}
      {children}
    </Card>
  );
}
