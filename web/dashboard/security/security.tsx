/** Who has access: sessions, the password, and the log of security events. */
import { Button, Group, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { useWholeList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconKey, IconShieldLock } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { useAct } from '../../ui/save.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { Moment } from '../../ui/time.js';
import { AuditLog } from './audit-log.js';
import { PasswordModal } from './password-modal.js';

type Session = ResponseOf<typeof dashboard.listSessions>['sessions'][number];

export function Page() {
  const [isChanging, setChanging] = useState(false);
  return (
    <Frame
      title="Security"
      description="Where you are signed in, and what happened to your account."
      actions={
        <Button variant="default" leftSection={<IconKey size={18} />} onClick={() => setChanging(true)}>
          Change password
        </Button>
      }
    >
      <Sessions />
      <AuditLog />
      {isChanging && <PasswordModal onClose={() => setChanging(false)} />}
    </Frame>
  );
}

/** `Firefox on Linux`, as far as the browser says it. */
export function describeBrowser(agent: string | undefined): string {
  if (agent === undefined) return 'An unknown program';
  const browser = /Edg\//.test(agent)
    ? 'Edge'
    : /Firefox\//.test(agent)
      ? 'Firefox'
      : /Chrom(?:e|ium)\//.test(agent)
        ? 'Chrome'
        : /Safari\//.test(agent)
          ? 'Safari'
          : agent.split(/[/ ]/, 1)[0];
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(agent)?.[0].replace('Mac OS X', 'macOS');
  return system === undefined ? String(browser) : `${browser} on ${system}`;
}

const COLUMNS: readonly Column<Session>[] = [
  {
    key: 'browser',
    header: 'Browser',
    cell: ({ user_agent, current }) => (
      <Group gap="xs">
        {describeBrowser(user_agent)}
        {current && <Tag tone="good">Current</Tag>}
      </Group>
    ),
    value: ({ user_agent }) => describeBrowser(user_agent),
  },
  {
    key: 'surface',
    header: 'For',
    cell: ({ surface }) => (surface === 'dashboard' ? 'Dashboard' : 'Authorizing an application'),
    value: ({ surface }) => surface,
    wide: true,
  },
  {
    key: 'address',
    header: 'Address',
    cell: ({ address }) => address ?? '',
    value: ({ address }) => address,
    wide: true,
  },
  {
    key: 'used',
    header: 'Last used',
    cell: ({ last_used_at }) => <Moment at={last_used_at} />,
    value: ({ last_used_at }) => last_used_at,
  },
  {
    key: 'expires',
    header: 'Ends',
    cell: ({ expires_at }) => <Moment at={expires_at} />,
    value: ({ expires_at }) => expires_at,
    wide: true,
  },
];

function Sessions() {
  const list = useWholeList(dashboard.listSessions, {}, ({ sessions }) => sessions);
  const [isEnding, setEnding] = useState(false);
  const act = useAct();
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Sessions
        </Title>
        <Button size="xs" variant="default" onClick={() => setEnding(true)}>
          Sign out everywhere
        </Button>
      </Group>
      <DataTable
        name="Sessions"
        sortName="sessions"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        rowName={({ user_agent }) => describeBrowser(user_agent)}
        actions={[
          {
            label: 'End session',
            danger: true,
            isOffered: ({ current }) => !current,
            run: ({ id }) => act(() => call(dashboard.endSession, { session_id: id }), 'The session has ended'),
          },
        ]}
        empty={
          <Empty icon={IconShieldLock} title="No sessions">
            Nobody is signed in.
          </Empty>
        }
      />
      {isEnding && (
        <ConfirmModal
          title="Sign out everywhere?"
          submitLabel="Sign out"
          danger
          onClose={() => setEnding(false)}
          onConfirm={async () => {
            await call(dashboard.endSessions);
            location.reload();
          }}
        >
          All your sessions end, this one too.
        </ConfirmModal>
      )}
    </Stack>
  );
}
