/** The settings of a register that its employees change: its name, when it locks, what it shows. */
import type { AttendantContext } from '../../api/operation.js';
import { about, Bool, model, optional, type Static, Type, text, Version, wholeNumber } from '../../api/wire.js';
import { notFound, Refusal } from '../../base/errors.js';
import { versionOfContent } from '../../base/normalized-request.js';
import { actorOf, recordAudit } from '../../identity/audit.js';
import { findDeviceSettings, lockDeviceSettings, type StoredSettings, updateDeviceSettings } from './queries.js';

const FIELDS = {
  name: about('The name of the register.', text(255, { minLength: 1 })),
  lock_after_seconds: about(
    'After this many seconds without a touch, the register locks and an employee has to sign in again.',
    wholeNumber(30, 3600),
  ),
  show_pictures: about('Whether items are shown with their pictures.', Bool),
  ask_for_tip: about('Whether buyers are asked for a tip.', Bool),
};

/** Decision 0191. */
const CardReader = about(
  'Whether a card reader hands its tokens to the register. Otherwise cards are taken by a terminal beside it.',
  Bool,
);

export const DeviceSettings = model('DeviceSettings', {
  version: about('Identifies what the editor sees. Send it with an edit.', Type.String()),
  ...FIELDS,
  card_reader: CardReader,
});

export const DeviceSettingsToEdit = Type.Object({
  ...FIELDS,
  card_reader: optional(CardReader), // registers of earlier versions do not send it; it then stays unchanged
  version: optional(Version),
});

const DEFAULTS = { lockAfterSeconds: 120, showPictures: true, askForTip: true, cardReader: false };

export function toDeviceSettings({
  name,
  lockAfterSeconds,
  showPictures,
  askForTip,
  cardReader,
}: StoredSettings): Static<typeof DeviceSettings> {
  const fields = {
    name,
    lock_after_seconds: lockAfterSeconds ?? DEFAULTS.lockAfterSeconds,
    show_pictures: showPictures ?? DEFAULTS.showPictures,
    ask_for_tip: askForTip ?? DEFAULTS.askForTip,
    card_reader: cardReader ?? DEFAULTS.cardReader,
  };
  return { version: versionOfContent(Object.values(fields)), ...fields };
}

export async function showDeviceSettings({
  database,
  merchant,
  device,
}: Pick<AttendantContext, 'database' | 'merchant' | 'device'>): Promise<Static<typeof DeviceSettings>> {
  const found = await findDeviceSettings(database.sql, merchant.id, device.id);
  if (!found) throw notFound('device', device.id);
  return toDeviceSettings(found);
}

/** Refused if the settings have changed since the given version, on the dashboard or at the register itself. */
export async function changeDeviceSettings(
  context: AttendantContext,
  { version, ...edit }: Static<typeof DeviceSettingsToEdit>,
): Promise<Static<typeof DeviceSettings>> {
  const { database, merchant, device, invalidateCredentials } = context;
  const name = edit.name.trim();
  if (name === '') throw new Refusal('INVALID_VALUE', { field: 'name', detail: 'The name is empty.' });
  const settings = await database.transaction(async (tx) => {
    const known = await lockDeviceSettings(tx, merchant.id, device.id);
    if (!known) throw notFound('device', device.id);
    if (version !== undefined && version !== toDeviceSettings(known).version) {
      throw new Refusal('CONFLICT', {
        field: 'version',
        detail: 'Somebody has changed the settings since you opened them. Look at what changed, and save again.',
      });
    }
    const changed: StoredSettings = {
      name,
      lockAfterSeconds: edit.lock_after_seconds,
      showPictures: edit.show_pictures,
      askForTip: edit.ask_for_tip,
      cardReader: edit.card_reader ?? known.cardReader,
    };
    await updateDeviceSettings(tx, merchant.id, device.id, changed);
    const details = { name, lock_after_seconds: String(edit.lock_after_seconds) };
    await recordAudit(tx, { kind: 'DEVICE_SETTINGS_CHANGED', ...actorOf(context), details });
    return changed;
  });
  invalidateCredentials(merchant.id);
  return toDeviceSettings(settings);
}
