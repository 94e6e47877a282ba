/** Asks to pair a register by the code that it shows, or pairs by a token a device that cannot show one. */
import { Anchor, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../client/call.js';
import { dashboard } from '../../client/operations.js';
import { FormModal } from '../../ui/form-modal.js';
import { useSaved } from '../../ui/save.js';
import { useBusiness } from '../business.js';
import type { AskedDevice } from './asked-modal.js';
import classes from './pair-modal.module.css';

interface PairModalProps {
  readonly onClose: () => void;
  /** The register asks the person there. */
  readonly onAsked: (device: AskedDevice) => void;
  /** A token that has to be copied. */
  readonly onToken: (token: string) => void;
}

/** `123456` is easier to compare as `123 456`. */
function printCode(typed: string): string {
  const digits = typed.replaceAll(/\D/g, '').slice(0, 6);
  return digits.length > 3 ? `${digits.slice(0, 3)} ${digits.slice(3)}` : digits;
}

export function PairModal({ onClose, onAsked, onToken }: PairModalProps) {
  const { openLocations } = useBusiness();
  const [code, setCode] = useState('');
  const [usesToken, setUsesToken] = useState(false);
  const [name, setName] = useState('');
  const [location, setLocation] = useState(openLocations[0]?.id ?? '');
  const saved = useSaved();
  const pair = async () => {
    const place = { name, location_id: location };
    if (usesToken) {
      const { device_token } = await call(dashboard.pairDevice, place);
      onToken(device_token);
      await saved(`${name} is paired`);
    } else {
      onAsked((await call(dashboard.pairDeviceByCode, { ...place, code })).device);
    }
  };
  return (
    <FormModal title="Pair a device" submitLabel="Pair" onClose={onClose} onSubmit={pair}>
      {(errorOf) => (
        <>
          {usesToken ? (
            <Text c="dimmed">You get a token to enter at the device. It is shown once.</Text>
          ) : (
            <TextInput
              label="Code on the register"
              description="Open Tillhouse on the tablet or phone that becomes a register. It shows six digits."
              required
              inputMode="numeric"
              autoComplete="one-time-code"
              placeholder="123 456"
              pattern="[0-9]{3} ?[0-9]{3}"
              title="Six digits"
              classNames={{ input: classes['code'] ?? '' }}
              value={code}
              onChange={(event) => setCode(printCode(event.currentTarget.value))}
              error={errorOf('code')}
              data-autofocus
            />
          )}
          <TextInput
            label="Name"
            description="As your team calls it, such as “Front counter”."
            required
            maxLength={255}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorOf('name')}
          />
          <Select
            label="Location"
            data={openLocations.map(({ id, name: label }) => ({ value: id, label }))}
            value={location}
            allowDeselect={false}
            onChange={(chosen) => chosen && setLocation(chosen)}
            error={errorOf('location_id')}
          />
          <Anchor component="button" type="button" size="sm" ta="left" onClick={() => setUsesToken(!usesToken)}>
            {usesToken ? 'The device shows a code' : 'The device shows no code'}
          </Anchor>
        </>
      )}
    </FormModal>
  );
}
