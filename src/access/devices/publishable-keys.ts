/** Creates publishable keys. Pages of a store contain them, so they only give access to one location's checkout (decision 0064). */
import { realNow } from '../../base/clock.js';
import { newSecret, realIds } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import { wholeSecond } from '../../base/time.js';
import type { Issuing } from '../../identity/directory.js';
import { insertPublishableKey, type PublishableKey } from './publishable-key-queries.js';

export async function createPublishableKey(
  { tx, enter }: Issuing,
  merchantId: string,
  locationId: string,
): Promise<{ readonly key: PublishableKey; readonly value: string }> {
  const value = newSecret('pub_', 48);
  const hash = hashSecret(value);
  const key = { id: realIds.newId(20), locationId, createdAt: wholeSecond(realNow()), revokedAt: null };
  await insertPublishableKey(tx, merchantId, key, hash);
  enter(merchantId, hash);
  return { key, value };
}
