/** Above the fields of a form: what somebody else changed since it was opened. */
import { Button, Group, Stack, Text } from '@mantine/core';
import type { Edit } from './edit.js';
import { Notice } from './notice.js';

interface EditChangesProps<Values> {
  readonly edit: Edit<Values>;
  readonly labels: Readonly<Record<keyof Values & string, string>>;
  /** A value in words. */
  readonly print?: (field: keyof Values & string, value: unknown) => string;
}

function printValue(value: unknown): string {
  return String(value ?? '');
}

export function EditChanges<Values>({
  edit,
  labels,
  print = (_, value) => printValue(value),
}: EditChangesProps<Values>) {
  if (edit.changes.length === 0) return null;
  const words = (field: keyof Values & string, value: unknown) => print(field, value) || 'empty';
  return (
    <Notice tone="warning" title="Changed meanwhile">
      <Stack gap={6}>
        {edit.changes.map(({ field, before, now, isTyped }) => (
          <Group key={field} justify="space-between" gap="xs" wrap="nowrap">
            <Text inherit style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
              <b>{labels[field]}</b>: {words(field, before)} is now <b>{words(field, now)}</b>.
              {isTyped && ' Yours is still in the field.'}
            </Text>
            {isTyped && (
              <Button
                size="compact-xs"
                variant="default"
                style={{ flex: 'none' }}
                onClick={() => edit.set(field, now as Values[typeof field])}
              >
                Use theirs
              </Button>
            )}
          </Group>
        ))}
      </Stack>
    </Notice>
  );
}
