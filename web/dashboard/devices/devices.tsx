/** The registers: devices that are paired with a location. */
import { Button, Select, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { useWholeList } from '../../client/list.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { useAddress } from '../../ui/address.js';
import { ConfirmModal } from '../../ui/confirm-modal.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { FormModal } from '../../ui/form-modal.js';
import { IconDeviceTablet, IconPlus } from '../../ui/icons.js';
import { Page as Frame } from '../../ui/page.js';
import { SecretModal } from '../../ui/secret-modal.js';
import { Empty } from '../../ui/states.js';
import { Tag } from '../../ui/tag.js';
import { printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { useSaved } from '../save.js';

type Device = ResponseOf<typeof dashboard.listDevices>['devices'][number];

export function Page() {
  const [isPairing, setPairing] = useState(false);
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
      {isPairing && <PairModal onClose={() => setPairing(false)} onPaired={setToken} />}
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
  const [chosen, setChosen] = useState<Device>();
  const columns = useColumns();
  return (
    <>
      <DataTable
        name="Devices"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        actions={[{ label: 'Unpair', danger: true, isOffered: ({ paired }) => paired, run: setChosen }]}
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
            Pair a tablet or a phone with a location. Employees then sign in at it with their passcode and sell.
          </Empty>
        }
      />
      {chosen && <UnpairModal device={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

interface PairModalProps {
  readonly onClose: () => void;
  readonly onPaired: (token: string) => void;
}

function PairModal({ onClose, onPaired }: PairModalProps) {
  const { locations } = useBusiness();
  const [name, setName] = useState('');
  const [location, setLocation] = useState(locations[0]?.id ?? '');
  const saved = useSaved();
  const pair = async () => {
    const { device, device_token } = await call(dashboard.pairDevice, { name, location_id: location });
    onPaired(device_token);
    await saved(`${device.name} is paired`);
  };
  return (
    <FormModal title="Pair a device" submitLabel="Pair" onClose={onClose} onSubmit={pair}>
      {(errorOf) => (
        <>
          <TextInput
            label="Name"
            description="As your team calls it, such as “Front counter”."
            required
            maxLength={255}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorOf('name')}
            data-autofocus
          />
          <Select
            label="Location"
            data={locations.map(({ id, name: label }) => ({ value: id, label }))}
            value={location}
            allowDeselect={false}
            onChange={(chosen) => chosen && setLocation(chosen)}
            error={errorOf('location_id')}
          />
        </>
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
      Employees are signed out at this device, and it can no longer sell. Pairing it again needs a new token.
    </ConfirmModal>
  );
}
