/** All merchants of the sandbox, and a new one with a click. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { usePagedList } from '../../client/list.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { useAddress } from '../../ui/address.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { IconBuildingStore, IconPlus, IconSearch } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { useAct } from '../../ui/save.js';
import { SecretModal } from '../../ui/secret-modal.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { Moment } from '../../ui/time.js';
import type { ListedMerchant } from '../merchants.js';

/** The time that the merchant's clock shows now. */
function shownBy({ clock_frozen_at, clock_offset_ms }: ListedMerchant): string {
  return clock_frozen_at ?? new Date(Date.now() + clock_offset_ms).toISOString();
}

const COLUMNS: readonly Column<ListedMerchant>[] = [
  {
    key: 'name',
    header: 'Business',
    cell: ({ business_name }) => business_name,
    value: ({ business_name }) => business_name,
  },
  { key: 'id', header: 'Id', cell: ({ id }) => id, value: ({ id }) => id, wide: true },
  {
    key: 'currency',
    header: 'Currency',
    cell: ({ currency }) => currency,
    value: ({ currency }) => currency,
    wide: true,
  },
  {
    key: 'clock',
    header: 'Clock',
    cell: (merchant) => <Moment at={shownBy(merchant)} style="long" />,
    value: shownBy,
  },
  {
    key: 'state',
    header: 'State',
    cell: ({ clock_frozen_at: at }) => <Tag tone={at ? 'warning' : 'good'}>{at ? 'frozen' : 'running'}</Tag>,
    value: ({ clock_frozen_at: at }) => (at ? 'frozen' : 'running'),
    wide: true,
  },
  {
    key: 'created',
    header: 'Created',
    cell: ({ created_at }) => <Moment at={created_at} style="long" />,
    value: ({ created_at }) => created_at,
    wide: true,
  },
];

export function Page() {
  const [text, setText] = useAddress('text');
  const list = usePagedList(sandbox.listMerchants, { text }, ({ merchants }) => merchants);
  const [token, setToken] = useState<string>();
  const act = useAct();
  const create = () =>
    act(
      async () => setToken((await call(sandbox.createMerchant, { bank_account: true })).access_token),
      'A merchant is made',
    );
  return (
    <Frame
      title="Merchants"
      description="Each is a business of its own: with locations, a clock and access tokens. Tests make one for each case."
      actions={
        <Button leftSection={<IconPlus size={18} />} onClick={create}>
          Make a merchant
        </Button>
      }
    >
      <DataTable
        name="Merchants"
        list={list}
        columns={COLUMNS}
        sortable={false}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/console/merchants/${id}`}
        filters={
          <TextInput
            size="xs"
            style={{ flex: '1 1 180px', maxWidth: 300 }}
            type="search"
            aria-label="Name or id"
            placeholder="Name or id"
            maxLength={255}
            leftSection={<IconSearch size={15} />}
            value={text ?? ''}
            onChange={(event) => setText(event.currentTarget.value || undefined)}
          />
        }
        empty={
          <Empty icon={IconBuildingStore} title="No merchant">
            Make one with a click: it comes with a location, a bank account and an access token with all permissions.
          </Empty>
        }
      />
      {token !== undefined && (
        <SecretModal title="The access token" secret={token} onClose={() => setToken(undefined)}>
          The merchant is there. Programs send this token as “Authorization: Bearer TOKEN”; it has all permissions.
        </SecretModal>
      )}
    </Frame>
  );
}
