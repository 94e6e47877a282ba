/** Processors of single merchants, with encrypted secrets (decisions 0183 and 0184). */
import { realNow } from '../base/clock.js';
import { UsageError } from '../base/config.js';
import { realIds } from '../base/ids.js';
import type { SealingKeys } from '../base/sealing.js';
import type { Database, Sql, Tx } from '../database/database.js';
import type { Adapter } from './adapter/transport.js';
import {
  insertMerchantProcessor,
  listAllMerchantProcessors,
  listKeysInUse,
  listMerchantProcessors,
  type MerchantProcessor,
  updateProcessorSecret,
} from './merchant-processor-queries.js';

const ID_LENGTH = 12;

/** Throws an `UnopenedSecret` if the keys do not decrypt the secret. */
export function openMerchantProcessor(keys: SealingKeys, row: MerchantProcessor): Adapter {
  return { url: row.address, secret: keys.open(row, aboutOf(row)) };
}

/** Authenticated with the secret, so that the secret cannot be copied to another record. */
function aboutOf({ merchantId, id }: Pick<MerchantProcessor, 'merchantId' | 'id'>): readonly string[] {
  return ['merchant_processors', merchantId, id];
}

/** The processor of the merchant at this address, if it has one. */
export async function findByAddress(
  tx: Tx,
  merchantId: string,
  address: string,
): Promise<MerchantProcessor | undefined> {
  return (await listMerchantProcessors(tx, merchantId)).find((row) => row.address === address);
}

/** Adds the processor, or replaces the secret of the one that has this address. Returns its id. The caller has locked the merchant. */
export async function saveMerchantProcessor(
  tx: Tx,
  keys: SealingKeys,
  merchantId: string,
  { url: address, secret }: Pick<Adapter, 'url' | 'secret'>,
): Promise<string> {
  const known = await findByAddress(tx, merchantId, address);
  const id = known?.id ?? realIds.newId(ID_LENGTH);
  const sealed = keys.seal(secret, aboutOf({ merchantId, id }));
  if (!known) {
    await insertMerchantProcessor(tx, {
      ...{ merchantId, id, kind: 'ADAPTER', address, createdAt: realNow() },
      ...sealed,
    });
  } else if (!(await updateProcessorSecret(tx, known, sealed))) {
    throw new Error('The secret has just been changed by somebody else. Try again.');
  }
  return id;
}

/** Throws if a secret is encrypted with a key that the server does not have: card payments of that merchant would be refused. */
export async function requireSecretsKeys(sql: Sql, keys: SealingKeys): Promise<void> {
  const inUse = await listKeysInUse(sql);
  const missing = inUse.filter(({ keyId }) => !keys.ids.includes(keyId));
  if (missing.length === 0) return;
  const given = keys.ids.length === 0 ? 'is not set' : `has the key ${keys.ids.join(', ')}`;
  const needed = missing.map(({ keyId, secrets }) => `${keyId} (${secrets} secrets)`).join(', ');
  throw new UsageError(
    `TILLHOUSE_SECRETS_KEY ${given}, but secrets of merchants in this database are encrypted with the key ${needed}. ` +
      'Add that key. tillhouse secrets status lists which keys are in use.',
  );
}

export interface Rotation {
  readonly rotated: number;
  /** The secrets that were encrypted with the first key before. */
  readonly current: number;
}

/**
 * Encrypts every secret with the first key. Each is a commit of its own, so a rotation can be ended at any time and run again. A secret
 * that somebody has replaced meanwhile stays: it was encrypted by a command that knows the first key.
 */
export async function rotateSecrets(
  database: Database,
  keys: SealingKeys,
  record: (tx: Tx, row: MerchantProcessor) => Promise<void>,
): Promise<Rotation> {
  const [first] = keys.ids;
  const rows = await listAllMerchantProcessors(database.sql);
  const old = rows.filter(({ keyId }) => keyId !== first);
  // All of them first: a secret that cannot be decrypted ends the command before anything is changed.
  const opened = old.map((row) => ({ row, sealed: keys.seal(keys.open(row, aboutOf(row)), aboutOf(row)) }));
  let rotated = 0;
  for (const { row, sealed } of opened) {
    const isRotated = await database.transaction(async (tx) => {
      const isUpdated = await updateProcessorSecret(tx, row, sealed);
      if (isUpdated) await record(tx, row);
      return isUpdated;
    });
    if (isRotated) rotated++;
  }
  return { rotated, current: rows.length - old.length };
}
