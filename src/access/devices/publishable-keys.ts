/** Creates publishable keys. Pages of a store contain them, so they only give access to one location's checkout (decision 0064). */
import { realNow } from '../../base/clock.js';
import { newSecret, realIds } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import { wholeSecond } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { insertPublishableKey, type PublishableKey } from './publishable-key-queries.js';

export async function createPublishableKey(
  tx: Tx,
  merchantId: string,
  locationId: string,
): Promise<{ readonly key: PublishableKey; readonly value: string }> {
  const value = newSecret('pub_', 48);
  const key = { id: realIds.newId(20), locationId, createdAt: wholeSecond(realNow()), revokedAt: null };
  await insertPublishableKey(tx, merchantId, key, hashSecret(value));
  return { key, value };
}
