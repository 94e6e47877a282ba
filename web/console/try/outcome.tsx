/** What the server responded. */
import { Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { ProgramResponse } from '../../client/send-as-program.js';
import { CodeText } from '../../ui/code-text.js';
import { TextLink } from '../../ui/text-link.js';
import { HeaderTable } from '../header-table.js';
import { StatusBadge } from '../status-badge.js';

interface OutcomeProps {
  readonly response: ProgramResponse;
  /** False for requests of the operator, which the log leaves out. */
  readonly isRecorded: boolean;
}

export function Outcome({ response, isRecorded }: OutcomeProps) {
  const { status, durationMs, headers, text, requestId } = response;
  const frame = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each response is shown, also one that is like the last
  useEffect(() => {
    frame.current?.scrollIntoView({ block: 'nearest' });
  }, [response]);
  return (
    <Stack gap="sm" aria-live="polite" ref={frame}>
      <Title order={3} size="h5">
        Response
      </Title>
      <Group gap="md">
        <StatusBadge status={status} />
        <Text size="sm" c="dimmed">
          {Math.round(durationMs)} ms
        </Text>
        {isRecorded && requestId !== undefined && (
          <TextLink to="/console" search={{ request: requestId, sent_by: 'all' }}>
            Show it in the list of requests
          </TextLink>
        )}
      </Group>
      {text === '' ? <Text c="dimmed">There is no body.</Text> : <CodeText text={pretty(text)} label="response body" />}
      <HeaderTable title="Response headers" headers={headers} />
    </Stack>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
