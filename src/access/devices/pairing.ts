/** Pairs a device with a location. */
import { realNow } from '../../base/clock.js';
import { newSecret, realIds } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import { wholeSecond } from '../../base/time.js';
import type { Issuing } from '../../identity/directory.js';
import { insertDevice } from './queries.js';
import type { DeviceRecord } from './table.js';

/** The token is shown only once. Only its hash is stored. */
export async function pairDevice(
  issuing: Issuing,
  merchantId: string,
  place: Pick<DeviceRecord, 'name' | 'locationId'>,
): Promise<{ readonly device: DeviceRecord; readonly token: string }> {
  const token = newSecret('dev_', 64);
  return { device: await recordDevice(issuing, merchantId, place, hashSecret(token)), token };
}

export function newDeviceId(): string {
  return realIds.newId(20);
}

/** Pairs a device that has its token already, and perhaps its id. */
export async function recordDevice(
  { tx, enter }: Issuing,
  merchantId: string,
  {
    id = newDeviceId(),
    name,
    locationId,
  }: Pick<DeviceRecord, 'name' | 'locationId'> & Partial<Pick<DeviceRecord, 'id'>>,
  tokenHash: Buffer,
): Promise<DeviceRecord> {
  const device = { id, name, locationId, createdAt: wholeSecond(realNow()), unpairedAt: null, lastSeenAt: null };
  await insertDevice(tx, merchantId, device, tokenHash);
  enter(merchantId, tokenHash);
  return device;
}
