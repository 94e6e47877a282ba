/** The registers: devices that are paired with a location. */
import { Button, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { useWholeList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { useAddress, useDialogAddress } from '../../ui/address.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { FormModal } from '../../ui/form-modal.js';
import { IconDeviceTablet, IconPlus } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { useSaved } from '../../ui/save.js';
import { SecretModal } from '../../ui/secret-modal.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { Moment, printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { type AskedDevice, AskedModal } from './asked-modal.js';
import { PairModal } from './pair-modal.js';

type Device = ResponseOf<typeof dashboard.listDevices>['devices'][number];

export function Page() {
  const [isPairing, setPairing] = useDialogAddress('pair');
  const [asked, setAsked] = useState<AskedDevice>();
  const [token, setToken] = useState<string>();
  const pair = (
    <Button leftSection={<IconPlus size={18} />} onClick={() => setPairing(true)}>
      Pair a device
    </Button>
  );
  return (
    <Frame
      title="Devices"
      description="The registers of your locations. A device sells only while it is paired."
      actions={pair}
    >
      <Devices />
      {isPairing && <PairModal onClose={() => setPairing(false)} onAsked={setAsked} onToken={setToken} />}
      {asked && <AskedModal device={asked} onClose={() => setAsked(undefined)} />}
      {token !== undefined && (
        <SecretModal title="The device token" secret={token} onClose={() => setToken(undefined)}>
          Enter this token at the device. It is the key to your register.
        </SecretModal>
      )}
    </Frame>
  );
}

function useColumns(): Column<Device>[] {
  const { locationName, timezoneOf } = useBusiness();
  return [
    { key: 'name', header: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
    {
      key: 'state',
      header: 'State',
      cell: ({ paired }) => <Tag tone={paired ? 'good' : 'quiet'}>{paired ? 'Paired' : 'Unpaired'}</Tag>,
      value: ({ paired }) => (paired ? 'paired' : 'unpaired'),
    },
    {
      key: 'location',
      header: 'Location',
      cell: ({ location_id }) => locationName(location_id),
      value: ({ location_id }) => locationName(location_id),
      wide: true,
    },
    {
      key: 'seen',
      header: 'Last seen',
      cell: ({ last_seen_at }) => (last_seen_at === undefined ? 'Never' : <Moment at={last_seen_at} />),
      value: ({ last_seen_at }) => last_seen_at ?? '',
      wide: true,
    },
    {
      key: 'since',
      header: 'Paired on',
      cell: ({ created_at, location_id }) => printTime(created_at, 'date', timezoneOf(location_id)),
      value: ({ created_at }) => created_at,
      wide: true,
    },
  ];
}

function Devices() {
  const [all, setAll] = useAddress('all');
  const list = useWholeList(dashboard.listDevices, {}, ({ devices }) =>
    devices.filter(({ paired }) => all === 'yes' || paired),
  );
  const [chosen, setChosen] = useState<{ readonly device: Device; readonly act: 'rename' | 'unpair' }>();
  const columns = useColumns();
  return (
    <>
      <DataTable
        name="Devices"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        actions={[
          { label: 'Rename', run: (device) => setChosen({ device, act: 'rename' }) },
          {
            label: 'Unpair',
            danger: true,
            isOffered: ({ paired }) => paired,
            run: (device) => setChosen({ device, act: 'unpair' }),
          },
        ]}
        filters={
          <Switch
            size="sm"
            label="Show unpaired devices"
            checked={all === 'yes'}
            onChange={(event) => setAll(event.currentTarget.checked ? 'yes' : undefined)}
          />
        }
        empty={
          <Empty icon={IconDeviceTablet} title="No device is paired">
            Open Tillhouse on a tablet or a phone: it shows six digits. Type them here, and employees can sign in at it
            with their passcode and sell.
          </Empty>
        }
      />
      {chosen?.act === 'rename' && <RenameModal device={chosen.device} onClose={() => setChosen(undefined)} />}
      {chosen?.act === 'unpair' && <UnpairModal device={chosen.device} onClose={() => setChosen(undefined)} />}
    </>
  );
}

function RenameModal({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) {
  const [name, setName] = useState(device.name);
  const saved = useSaved();
  const rename = async () => {
    await call(dashboard.renameDevice, { device_id: device.id, name });
    await saved(`The device is called ${name} now`);
  };
  return (
    <FormModal title={`Rename ${device.name}`} submitLabel="Rename" onClose={onClose} onSubmit={rename}>
      {(errorOf) => (
        <TextInput
          label="Name"
          required
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={errorOf('name')}
          data-autofocus
        />
      )}
    </FormModal>
  );
}

function UnpairModal({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) {
  const saved = useSaved();
  const unpair = async () => {
    await call(dashboard.unpairDevice, { device_id: device.id });
    await saved(`${device.name} is unpaired`);
  };
  return (
    <ConfirmModal title={`Unpair ${device.name}?`} submitLabel="Unpair" danger onClose={onClose} onConfirm={unpair}>
      Employees are signed out at this device, and it can no longer sell. It has to be paired again before it can.
    </ConfirmModal>
  );
}
