/** Makes the keys that a store's pages carry: no secret, they only open the checkout of one location (decision 0064). */
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
): Promise<{ readonly key: PublishableKey; readonly word: string }> {
  const word = newSecret('pub_', 48);
  const key = { id: realIds.newId(20), locationId, createdAt: wholeSecond(realNow()), revokedAt: null };
  await insertPublishableKey(tx, merchantId, key, hashSecret(word));
  return { key, word };
}
