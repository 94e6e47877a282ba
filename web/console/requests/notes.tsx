/** What a developer should know about a request. */
import { Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ResponseOf } from '../../client/operations.js';
import type { sandbox } from '../../client/sandbox-operations.js';
import type { Search } from '../../ui/address.js';
import { Notice } from '../../ui/notice.js';

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
          <Link to="." search={((before: Search) => ({ ...before, request: request_id })) as never}>
            Show that request
          </Link>
        </>
      )}
    </>
  );
  if (tone === 'info') return <Text c="dimmed">{words}</Text>;
  return (
    <Notice tone="warning" title="Look at this">
      {words}
    </Notice>
  );
}
