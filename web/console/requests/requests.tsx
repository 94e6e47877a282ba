/** What programs send to this server, newest on top: the list on the left, one request on the right. */
import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call } from '../../client/call.js';
import { usePagedList } from '../../client/list.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { type Search, useAddress } from '../../ui/address.js';
import { IconCode, IconSearch, IconTrash } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { useAct } from '../../ui/save.js';
import { SplitPane } from '../../ui/split-pane.js';
import { Card, Empty, Failed, LoadingRows } from '../../ui/states.js';
import { MerchantSelect } from '../merchant-select.js';
import { RequestDetail } from './request-detail.js';
import { RequestRows } from './request-rows.js';
import classes from './requests.module.css';

export function Page() {
  const { merchant, operation, status, text, request, sent_by } = useSearch({ strict: false }) as Search;
  const filter = { merchant_id: merchant, operation, status, text, sent_by: senderIn(sent_by) };
  const list = usePagedList(sandbox.listRequests, filter, ({ requests }) => requests);
  const act = useAct();
  const isFiltered = [merchant, operation, status, text].some((each) => each !== undefined);
  const rows = list.rows;
  const left = (
    <Card>
      <Filters />
      {rows === undefined && list.error ? (
        <Failed error={list.error} onRetry={() => list.refetch()} />
      ) : rows === undefined ? (
        <LoadingRows rows={10} />
      ) : rows.length === 0 ? (
        <NoRequests isFiltered={isFiltered} />
      ) : (
        <div className={classes['scroll']} data-state="full">
          <RequestRows rows={rows} chosen={request} />
          {list.hasMore && (
            <Group justify="center" p="sm">
              <Button variant="default" size="xs" loading={list.isLoadingMore} onClick={() => list.loadMore()}>
                Show older ones
              </Button>
            </Group>
          )}
        </div>
      )}
    </Card>
  );
  return (
    <Frame
      title="Requests"
      description="Requests from programs, with the responses. The latest 2,000 are kept in memory."
      actions={
        rows && rows.length > 0 ? (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconTrash size={16} />}
            onClick={() => act(() => call(sandbox.clearRequests), 'The log is empty')}
          >
            Clear
          </Button>
        ) : undefined
      }
    >
      <SplitPane
        name="requests"
        onPhones={request === undefined ? 'first' : 'second'}
        first={left}
        second={<RequestDetail id={request ?? rows?.[0]?.id} isChosen={request !== undefined} />}
      />
    </Frame>
  );
}

/** Without a choice: programs. */
const SENDERS = [
  { value: 'program', label: 'Sent by programs' },
  { value: 'tillhouse', label: 'Sent by console and commands' },
  { value: 'all', label: 'Sent by anybody' },
] as const;

function senderIn(chosen: string | undefined): 'program' | 'tillhouse' | undefined {
  if (chosen === 'all') return undefined;
  return chosen === 'tillhouse' ? 'tillhouse' : 'program';
}

const STATUSES = [
  { value: '2xx', label: '2xx successful' },
  { value: '4xx', label: '4xx refused' },
  { value: '5xx', label: '5xx failed' },
  { value: '401', label: '401 not authorized' },
  { value: '429', label: '429 too many' },
  { value: '0', label: 'Connection reset' },
];

const SURFACES = [
  { value: 'v2', label: 'v2: second generation' },
  { value: 'v1', label: 'v1: first generation' },
  { value: 'oauth2', label: 'oauth2' },
  { value: 'checkout', label: 'checkout: online stores' },
  { value: 'dashboard', label: 'dashboard' },
  { value: 'register', label: 'register' },
];

function Filters() {
  const [operation, setOperation] = useAddress('operation');
  const [status, setStatus] = useAddress('status');
  const [sentBy, setSentBy] = useAddress('sent_by');
  const surfaces =
    operation === undefined || SURFACES.some(({ value }) => value === operation)
      ? SURFACES
      : [{ value: operation, label: operation }, ...SURFACES];
  return (
    <Group gap="xs" p="sm" className={classes['filters'] ?? ''}>
      <TextFilter />
      <MerchantSelect hasAll />
      <Select
        size="xs"
        style={{ flex: '1 1 120px', maxWidth: 220 }}
        placeholder="All operations"
        aria-label="Operation"
        data={surfaces}
        value={operation ?? null}
        onChange={(chosen) => setOperation(chosen ?? undefined)}
        clearable
      />
      <Select
        size="xs"
        style={{ flex: '1 1 110px', maxWidth: 170 }}
        placeholder="Any status"
        aria-label="Status"
        data={
          status === undefined || STATUSES.some(({ value }) => value === status)
            ? STATUSES
            : [...STATUSES, { value: status, label: status }]
        }
        value={status ?? null}
        onChange={(chosen) => setStatus(chosen ?? undefined)}
        clearable
      />
      <Select
        size="xs"
        style={{ flex: '1 1 150px', maxWidth: 230 }}
        aria-label="Sent by"
        data={SENDERS}
        value={sentBy ?? 'program'}
        onChange={(chosen) => setSentBy(chosen === null || chosen === 'program' ? undefined : chosen)}
        allowDeselect={false}
      />
    </Group>
  );
}

const TYPING_MS = 250;

function TextFilter() {
  const [inAddress, setText] = useAddress('text');
  const [typed, setTyped] = useState(inAddress ?? '');
  const search = useDebouncedCallback((text: string) => setText(text === '' ? undefined : text), TYPING_MS);
  useEffect(() => setTyped(inAddress ?? ''), [inAddress]); // changed by a link or the browser's Back
  return (
    <TextInput
      size="xs"
      style={{ flex: '2 1 160px' }}
      type="search"
      aria-label="Text"
      placeholder="Id, path, or any text"
      maxLength={255}
      leftSection={<IconSearch size={15} />}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        search(value);
      }}
    />
  );
}

function NoRequests({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty icon={IconSearch} title="No such request">
        No recorded request matches these filters. Secrets are hidden and cannot be searched for.
      </Empty>
    );
  }
  return (
    <Empty icon={IconCode} title="Nothing yet">
      Send a request to this server, and it appears here at once. Requests of this console and of commands are left out.
    </Empty>
  );
}
