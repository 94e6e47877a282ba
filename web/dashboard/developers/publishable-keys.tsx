/** The keys with which pages of online stores call the checkout. */
import { Anchor, Button, Select } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { useWholeList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { CopyId } from '../../ui/copy-id.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { FormModal } from '../../ui/form-modal.js';
import { IconKey, IconPlus } from '../../ui/icons.js';
import { useSaved } from '../../ui/save.js';
import { SecretModal } from '../../ui/secret-modal.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';

type Key = ResponseOf<typeof dashboard.listPublishableKeys>['keys'][number];

function printUse(isOfStorePage: boolean): string {
  return isOfStorePage ? 'The page of the store' : 'Your own pages';
}

function useColumns(): Column<Key>[] {
  const { locationName } = useBusiness();
  return [
    {
      key: 'location',
      header: 'Store of',
      cell: ({ location_id }) => locationName(location_id),
      value: ({ location_id }) => locationName(location_id),
    },
    {
      key: 'state',
      header: 'State',
      cell: ({ revoked }) => (revoked ? <Tag tone="quiet">Revoked</Tag> : <Tag tone="good">Valid</Tag>),
      value: ({ revoked }) => (revoked ? 'revoked' : 'valid'),
    },
    {
      key: 'use',
      header: 'Used by',
      cell: ({ of_store_page, revoked, location_id }) =>
        of_store_page && !revoked ? (
          <Anchor href={`/store/${location_id}`} inherit>
            The page of the store
          </Anchor>
        ) : (
          printUse(of_store_page)
        ),
      value: ({ of_store_page }) => printUse(of_store_page),
    },
    { key: 'id', header: 'Id', cell: ({ id }) => <CopyId id={id} />, value: ({ id }) => id, wide: true },
    {
      key: 'created',
      header: 'Created',
      cell: ({ created_at }) => printTime(created_at, 'date'),
      value: ({ created_at }) => created_at,
      wide: true,
    },
  ];
}

export function PublishableKeys() {
  const list = useWholeList(dashboard.listPublishableKeys, {}, ({ keys }) => keys);
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string>();
  const [chosen, setChosen] = useState<Key>();
  const saved = useSaved();
  const columns = useColumns();
  return (
    <>
      <DataTable
        name="Publishable keys"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        actions={[{ label: 'Revoke', danger: true, isOffered: ({ revoked }) => !revoked, run: setChosen }]}
        filters={
          <Button size="xs" leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
            Create a key
          </Button>
        }
        empty={
          <Empty icon={IconKey} title="No publishable key">
            A key lets the pages of an online store take orders for one location. It is not secret.
          </Empty>
        }
      />
      {isCreating && <CreateModal onClose={() => setCreating(false)} onCreated={setCreated} />}
      {created !== undefined && (
        <SecretModal title="The publishable key" secret={created} onClose={() => setCreated(undefined)}>
          Put it into the pages of the store.
        </SecretModal>
      )}
      {chosen && (
        <ConfirmModal
          title="Revoke this key?"
          submitLabel="Revoke"
          danger
          onClose={() => setChosen(undefined)}
          onConfirm={async () => {
            await call(dashboard.revokePublishableKey, { key_id: chosen.id });
            await saved('The key is revoked');
          }}
        >
          {chosen.of_store_page
            ? 'The page of the store is closed until the store is saved again.'
            : 'Stores that use it can no longer take orders.'}
        </ConfirmModal>
      )}
    </>
  );
}

interface CreateModalProps {
  readonly onClose: () => void;
  readonly onCreated: (key: string) => void;
}

function CreateModal({ onClose, onCreated }: CreateModalProps) {
  const { openLocations: locations } = useBusiness();
  const [location, setLocation] = useState(locations[0]?.id ?? '');
  const saved = useSaved();
  const create = async () => {
    const { publishable_key } = await call(dashboard.createPublishableKey, { location_id: location });
    onCreated(publishable_key);
    await saved('The key is created');
  };
  return (
    <FormModal title="Create a publishable key" submitLabel="Create" onClose={onClose} onSubmit={create}>
      {(errorOf) => (
        <Select
          label="Store of"
          data={locations.map(({ id, name }) => ({ value: id, label: name }))}
          value={location}
          allowDeselect={false}
          onChange={(chosen) => chosen && setLocation(chosen)}
          error={errorOf('location_id')}
        />
      )}
    </FormModal>
  );
}
