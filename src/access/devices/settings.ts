/** The settings of a register that its employees change: its name, when it locks, what it shows. */
import type { AttendantContext } from '../../api/operation.js';
import { Flag, model, optional, type Static, Type, text, Version, wholeNumber } from '../../api/wire.js';
import { notFound, Refusal } from '../../base/errors.js';
import { versionOfContent } from '../../base/normalized-request.js';
import { actorOf, recordAudit } from '../../identity/audit.js';
import { findDeviceSettings, lockDeviceSettings, type StoredSettings, updateDeviceSettings } from './queries.js';

const FIELDS = {
  name: text(255, { minLength: 1 }),
  /** Without a touch for this long, the register asks who is there. */
  lock_after_seconds: wholeNumber(30, 3600),
  show_pictures: Flag,
  ask_for_tip: Flag,
};

export const DeviceSettings = model('DeviceSettings', { version: Type.String(), ...FIELDS });

export const DeviceSettingsToEdit = Type.Object({ ...FIELDS, version: optional(Version) });

const DEFAULTS = { lockAfterSeconds: 120, showPictures: true, askForTip: true };

export function toDeviceSettings({
  name,
  lockAfterSeconds,
  showPictures,
  askForTip,
}: StoredSettings): Static<typeof DeviceSettings> {
  const fields = {
    name,
    lock_after_seconds: lockAfterSeconds ?? DEFAULTS.lockAfterSeconds,
    show_pictures: showPictures ?? DEFAULTS.showPictures,
    ask_for_tip: askForTip ?? DEFAULTS.askForTip,
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
  const { database, merchant, device, forget } = context;
  const name = edit.name.trim();
  if (name === '') throw new Refusal('INVALID_VALUE', { field: 'name', detail: 'The name is empty.' });
  const settings: StoredSettings = {
    name,
    lockAfterSeconds: edit.lock_after_seconds,
    showPictures: edit.show_pictures,
    askForTip: edit.ask_for_tip,
  };
  await database.transaction(async (tx) => {
    const known = await lockDeviceSettings(tx, merchant.id, device.id);
    if (!known) throw notFound('device', device.id);
    if (version !== undefined && version !== toDeviceSettings(known).version) {
      throw new Refusal('CONFLICT', {
        field: 'version',
        detail: 'Somebody has changed the settings since you opened them. Look at what changed, and save again.',
      });
    }
    await updateDeviceSettings(tx, merchant.id, device.id, settings);
    const details = { name, lock_after_seconds: String(edit.lock_after_seconds) };
    await recordAudit(tx, { kind: 'DEVICE_SETTINGS_CHANGED', ...actorOf(context), details });
  });
  forget(merchant.id);
  return toDeviceSettings(settings);
}
