/** What a developer should know about a request. */
import { Stack, Text } from '@mantine/core';
import type { ResponseOf } from '../../client/operations.js';
import type { sandbox } from '../../client/sandbox-operations.js';
import { Notice } from '../../ui/notice.js';
import { TextLink } from '../../ui/text-link.js';

type Note = ResponseOf<typeof sandbox.retrieveRequest>['request']['notes'][number];

export function Notes({ notes }: { readonly notes: readonly Note[] }) {
  if (notes.length === 0) return null;
  return (
    <Stack gap="xs">
      {notes.map((note) => (
        <NoteView key={note.text} note={note} />
      ))}
    </Stack>
  );
}

function NoteView({ note: { tone, text, request_id } }: { readonly note: Note }) {
  const words = (
    <>
      {text}
      {request_id !== undefined && (
        <>
          {' '}
          <TextLink to="." search={(before) => ({ ...before, request: request_id })}>
            Show that request
          </TextLink>
        </>
      )}
    </>
  );
  if (tone === 'info') return <Text c="dimmed">{words}</Text>;
  return (
    <Notice tone="warning" title="Possible mistake">
      {words}
    </Notice>
  );
}
