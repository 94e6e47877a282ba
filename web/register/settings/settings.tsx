/** The settings of this device, and what it knows about itself. */
import { useState } from 'react';
import { asProblem, type Problem } from '../../client/problem.js';
import { useStore } from '../../client/store.js';
import { ProblemAlert } from '../../ui/form-modal.js';
import { IconCloudOff } from '../../ui/icons.js';
import { call, register } from '../core/call.js';
import { isOnline } from '../core/connection.js';
import { type Device, device, offlineRules, refreshDevice, unpair } from '../core/device.js';
import { pending } from '../core/queue.js';
import { applyUpdate, isUpdateReady } from '../core/update.js';
import { useAttempt } from '../parts/attempt.js';
import { BigButton } from '../parts/big-button.js';
import { Choices } from '../parts/choices.js';
import { ConfirmPanel } from '../parts/confirm-panel.js';
import { Message } from '../parts/message.js';
import { Box, Screen } from '../parts/screen.js';
import { Switch } from '../parts/switch.js';
import { TextField } from '../parts/text-field.js';
import classes from './settings.module.css';

export default function Settings() {
  const [paired, online, isUpdate] = [useStore(device), useStore(isOnline), useStore(isUpdateReady)];
  const [isUnpairing, setUnpairing] = useState(false);
  const waiting = useStore(pending).count;
  if (!paired) return null;
  return (
    <Screen title="Settings" note={`${paired.name} at ${paired.location.name}`}>
      {isUpdate && (
        <Box title="A new version is available">
          <p className={classes['update']}>Nothing is lost: the cart and what waits to be sent are kept.</p>
          <BigButton tone="main" onClick={() => void applyUpdate()}>
            Update now
          </BigButton>
        </Box>
      )}
      {!online && (
        <Message tone="warning" icon={IconCloudOff} title="Offline">
          Settings are saved by the server. Change them when the network is back.
        </Message>
      )}
      <Form key={paired.settings.version} paired={paired} isDisabled={!online} />
      <Box title="This device">
        <dl className={classes['facts']}>
          <dt>Business</dt>
          <dd>{paired.business.name}</dd>
          <dt>Location</dt>
          <dd>{paired.location.name}</dd>
          <dt>Mode</dt>
          <dd>{paired.mode === 'sandbox' ? 'Sandbox: no money moves' : 'Production'}</dd>
          <dt>Cards without a network</dt>
          <dd>{offlineRules(paired).cards_allowed ? 'Allowed' : 'Not allowed'}</dd>
          <dt>Waiting to be sent</dt>
          <dd>{waiting}</dd>
        </dl>
        <BigButton tone="danger" onClick={() => setUnpairing(true)}>
          Unpair this register
        </BigButton>
      </Box>
      {isUnpairing && (
        <ConfirmPanel
          title="Unpair this register?"
          submitLabel="Unpair it"
          onClose={() => setUnpairing(false)}
          onConfirm={unpair}
        >
          This device forgets the business, its people and its catalogue. It can be paired again with a new code.
        </ConfirmPanel>
      )}
    </Screen>
  );
}

const LOCK_CHOICES = [
  { value: 30, label: '30 s' },
  { value: 60, label: '1 min' },
  { value: 120, label: '2 min' },
  { value: 300, label: '5 min' },
  { value: 900, label: '15 min' },
  { value: 3600, label: '1 hour' },
];

function Form({ paired, isDisabled }: { readonly paired: Device; readonly isDisabled: boolean }) {
  const [draft, setDraft] = useState(paired.settings);
  const [problem, setProblem] = useState<Problem>();
  const { attempt, isBusy } = useAttempt();
  const isChanged = JSON.stringify(draft) !== JSON.stringify(paired.settings);
  const save = async (): Promise<void> => {
    setProblem(undefined);
    await attempt(async () => {
      try {
        await call(register.updateDeviceSettings, { ...draft });
      } catch (error) {
        setProblem(asProblem(error));
        throw error;
      } finally {
        await refreshDevice().catch(() => {});
      }
    }, 'Saved.');
  };
  return (
    <Box title="Settings of this register">
      <TextField
        label="Name"
        value={draft.name}
        maxLength={60}
        onChange={(name) => setDraft({ ...draft, name })}
        error={problem?.field === 'name' ? problem.message : undefined}
      />
      <div className={classes['group']}>
        <Choices
          label="Lock when nobody touches it for"
          isLabelShown
          options={LOCK_CHOICES}
          chosen={draft.lock_after_seconds}
          onChoose={(lock_after_seconds) => setDraft({ ...draft, lock_after_seconds })}
        />
      </div>
      <Switch
        label="Show pictures of items"
        isOn={draft.show_pictures}
        onChange={(show_pictures) => setDraft({ ...draft, show_pictures })}
      />
      <Switch
        label="Ask buyers for a tip when they pay by card"
        note={paired.location.tip_presets.length === 0 ? 'The owner has set no tips for this location.' : undefined}
        isOn={draft.ask_for_tip}
        onChange={(ask_for_tip) => setDraft({ ...draft, ask_for_tip })}
      />
      {paired.testSources.length === 0 && (
        <Switch
          label="A card reader hands its tokens to this register"
          note="Otherwise cards are taken by a terminal beside it."
          isOn={draft.card_reader}
          onChange={(card_reader) => setDraft({ ...draft, card_reader })}
        />
      )}
      {problem && problem.field !== 'name' && <ProblemAlert problem={problem} />}
      <BigButton tone="main" isTall isDisabled={!isChanged || isDisabled} isBusy={isBusy} onClick={save}>
        Save
      </BigButton>
    </Box>
  );
}
