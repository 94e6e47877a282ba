/** Pairs a device with a location. */
import { realNow } from '../../base/clock.js';
import { newSecret, realIds } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import { wholeSecond } from '../../base/time.js';
import type { Issuing } from '../../identity/directory.js';
import { type DeviceRecord, insertDevice } from './queries.js';

/** The token is shown only once. Only its hash is stored. */
export async function pairDevice(
  { tx, enter }: Issuing,
  merchantId: string,
  { name, locationId }: Pick<DeviceRecord, 'name' | 'locationId'>,
): Promise<{ readonly device: DeviceRecord; readonly token: string }> {
  const token = newSecret('dev_', 64);
  const hash = hashSecret(token);
  const device = { id: realIds.newId(20), name, locationId, createdAt: wholeSecond(realNow()), unpairedAt: null };
  await insertDevice(tx, merchantId, device, hash);
  enter(merchantId, hash);
  return { device, token };
}
