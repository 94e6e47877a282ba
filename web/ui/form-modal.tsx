/** A dialog that does one thing: it keeps what was typed until the server has accepted it. */
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { asProblem, type Problem } from '../client/problem.js';
import { Dialog } from './dialog.js';
import { IconAlertTriangle } from './icons.js';

interface FormModalProps {
  readonly title: string;
  readonly submitLabel: string;
  readonly danger?: boolean;
  /** False while something is missing. Default: true. */
  readonly isReady?: boolean;
  readonly onClose: () => void;
  /** Closes the dialog when it succeeds. */
  readonly onSubmit: () => Promise<unknown>;
  /** Gets a function that returns the server's message for a field. */
  readonly children: (errorOf: (field: string) => string | undefined) => ReactNode;
}

/** Rendered only while it is open, so that each dialog starts with fresh values. */
export function FormModal(props: FormModalProps) {
  const { title, submitLabel, danger = false, isReady = true, onClose, onSubmit, children } = props;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await onSubmit();
      onClose();
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  const shownAtField = { current: false };
  const errorOf = (field: string): string | undefined => {
    if (problem?.field !== field) return undefined;
    shownAtField.current = true;
    return problem.message;
  };
  const fields = children(errorOf);
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} noValidate={false}>
        <Stack gap="md">
          {fields}
          {problem && !shownAtField.current && <ProblemAlert problem={problem} />}
          <Group justify="flex-end" gap="xs" mt="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isBusy} disabled={!isReady} {...(danger && { color: 'red.9' })}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

export function ProblemAlert({ problem }: { readonly problem: Problem }) {
  return (
    <Alert variant="light" color="red" icon={<IconAlertTriangle size={20} />} role="alert">
      <Text inherit c="var(--mantine-color-text)">
        {problem.message}
      </Text>
      {problem.requestId !== undefined && (
        <Text size="xs" c="dimmed" mt={4}>
          Request <Code>{problem.requestId}</Code>
        </Text>
      )}
    </Alert>
  );
}
