/** The applications that the owner registered. */
import { Button, Select, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { useWholeList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { FormModal } from '../../ui/form-modal.js';
import { IconCode, IconPlus } from '../../ui/icons.js';
import { useSaved } from '../../ui/save.js';
import { SecretModal } from '../../ui/secret-modal.js';
import { Empty } from '../../ui/states.js';
import { printTime } from '../../ui/time.js';

export type Application = ResponseOf<typeof dashboard.listApplications>['applications'][number];

export const CLIENT_TYPES: Readonly<Record<Application['client_type'], string>> = {
  CONFIDENTIAL: 'Confidential: it has a secret',
  PUBLIC: 'Public: no secret, PKCE required',
};

const COLUMNS: readonly Column<Application>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
  {
    key: 'type',
    header: 'Kind',
    cell: ({ client_type }) => (client_type === 'PUBLIC' ? 'Public' : 'Confidential'),
    value: ({ client_type }) => client_type,
  },
  {
    key: 'redirects',
    header: 'Redirect URLs',
    cell: ({ redirect_urls }) => redirect_urls.join(', '),
    value: ({ redirect_urls }) => redirect_urls.join(' '),
    wide: true,
  },
  {
    key: 'created',
    header: 'Registered',
    cell: ({ created_at }) => printTime(created_at, 'date'),
    value: ({ created_at }) => created_at,
    wide: true,
  },
];

export function Applications() {
  const list = useWholeList(dashboard.listApplications, {}, ({ applications }) => applications);
  const [isRegistering, setRegistering] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <DataTable
        name="Applications"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/dashboard/developers/applications/${id}`}
        filters={
          <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setRegistering(true)}>
            Register an application
          </Button>
        }
        empty={
          <Empty icon={IconCode} title="No application yet">
            Register one to let a program ask merchants for access, and to receive webhooks.
          </Empty>
        }
      />
      {isRegistering && <RegisterModal onClose={() => setRegistering(false)} onRegistered={setSecret} />}
      {secret !== undefined && (
        <SecretModal title="The application's secret" secret={secret} onClose={() => setSecret(undefined)}>
          The program proves with it that it is the application. Keep it on a server, never in a page or an app.
        </SecretModal>
      )}
    </>
  );
}

interface RegisterModalProps {
  readonly onClose: () => void;
  readonly onRegistered: (secret: string | undefined) => void;
}

function RegisterModal({ onClose, onRegistered }: RegisterModalProps) {
  const [name, setName] = useState('');
  const [type, setType] = useState<Application['client_type']>('CONFIDENTIAL');
  const [urls, setUrls] = useState('');
  const saved = useSaved();
  const register = async () => {
    const redirect_urls = urls.split(/\s+/).filter(Boolean);
    const { application, application_secret } = await call(dashboard.registerApplication, {
      name,
      client_type: type,
      redirect_urls,
    });
    onRegistered(application_secret);
    await saved(`${application.name} is registered`);
  };
  return (
    <FormModal title="Register an application" submitLabel="Register" onClose={onClose} onSubmit={register}>
      {(errorOf) => (
        <>
          <TextInput
            label="Name"
            description="Merchants read it when they are asked for access."
            required
            maxLength={255}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorOf('name')}
            data-autofocus
          />
          <Select
            label="Kind"
            data={Object.entries(CLIENT_TYPES).map(([value, label]) => ({ value, label }))}
            value={type}
            allowDeselect={false}
            onChange={(chosen) => chosen && setType(chosen as Application['client_type'])}
          />
          <Textarea
            label="Redirect URLs"
            description="One in each line."
            required
            autosize
            minRows={2}
            value={urls}
            onChange={(event) => setUrls(event.currentTarget.value)}
            error={errorOf('redirect_urls') ?? errorOf('redirect_urls[0]')}
          />
        </>
      )}
    </FormModal>
  );
}
