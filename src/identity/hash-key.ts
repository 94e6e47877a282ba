/**
 * The key of keyed hashes is in the database, encrypted with the account key of the servers (decision 0209). So the account key can be
 * replaced while hashes stay as they are, and a server with a wrong one does not start.
 */
import { join } from 'node:path';
import { realNow } from '../base/clock.js';
import { UsageError } from '../base/config.js';
import { newSecret } from '../base/ids.js';
import { type SealedSecret, SealingKeys, UnopenedSecret } from '../base/sealing.js';
import { readAccountKey, readOrCreateAccountKey, SECRET_FILES } from '../base/secret-files.js';
import { hashWithKey } from '../base/secrets.js';
import type { Database } from '../database/database.js';
import { changeAudited } from './audit.js';
import { findHashKey, insertHashKey, updateHashKey } from './hash-key-queries.js';

/** Authenticated with the encrypted key. */
const ABOUT = ['hash_key'];

/** Where a server or a command finds the account key. */
export interface AccountKeySource {
  /** Of the environment: one key, or several that are separated by commas. */
  readonly accountKey: string | undefined;
  readonly dataDir: string;
}

interface AccountKeys {
  /** The variable or the file, for messages. */
  readonly source: string;
  readonly texts: readonly string[];
  /** The first one encrypts, all of them decrypt. */
  readonly sealing: SealingKeys;
}

/**
 * The key of keyed hashes. The first start of a database makes it. Throws if the account key that encrypted it is not given. `isUsed` says
 * whether the database may have hashes from before there was such a key: then it is the account key itself.
 */
export async function openHashKey(
  database: Database,
  source: AccountKeySource,
  isUsed: () => Promise<boolean>,
): Promise<string> {
  const found = await findHashKey(database.sql);
  if (found) return open(found, await requireAccountKeys(source, found));
  const keys = toKeys(await readSource(source, readOrCreateAccountKey), source);
  const key = (await isUsed()) ? requireOne(keys) : newSecret('', 48);
  await database.statement((tx) => insertHashKey(tx, keys.sealing.seal(key, ABOUT), realNow()));
  const stored = await findHashKey(database.sql);
  if (!stored) throw new Error('The key of hashes was not stored.');
  return open(stored, await requireAccountKeys(source, stored));
}

export interface HashKeyStatus {
  /** The account key that encrypted the key of hashes. Undefined: no server has started yet. */
  readonly inUse: string | undefined;
  /** The account keys that are given. */
  readonly given: readonly string[];
}

export async function findHashKeyStatus({ sql }: Database, source: AccountKeySource): Promise<HashKeyStatus> {
  const [found, text] = [await findHashKey(sql), await readSource(source, readAccountKey)];
  return { inUse: found?.keyId, given: text === '' ? [] : toKeys(text, source).sealing.ids };
}

/**
 * Encrypts the key of hashes with the first account key. Undefined: there is none yet. Everything is checked first, and `commit` writes:
 * returns whether it had to.
 */
export async function prepareRotation(database: Database, source: AccountKeySource) {
  const found = await findHashKey(database.sql);
  if (!found) return undefined;
  const keys = await requireAccountKeys(source, found);
  const key = open(found, keys);
  const [first = ''] = keys.sealing.ids;
  const commit = async (): Promise<boolean> => {
    if (found.keyId === first) return false;
    const sealed = keys.sealing.seal(key, ABOUT);
    const entry = { kind: 'ACCOUNT_KEY_REPLACED', details: { key_id: first, former_key_id: found.keyId } } as const;
    if (await changeAudited(database, entry, (tx) => updateHashKey(tx, found, sealed, realNow()))) return true;
    throw new Error(
      'The account key has just been replaced by somebody else. Look at it with: tillhouse secrets status',
    );
  };
  return { keyId: first, commit };
}

function open(sealed: SealedSecret, { sealing }: AccountKeys): string {
  try {
    return sealing.open(sealed, ABOUT);
  } catch (error) {
    if (error instanceof UnopenedSecret) throw new UsageError(`The account key cannot be used: ${error.message}.`);
    throw error;
  }
}

/** The keys of the variable or of the file. Creates no file: a new key could not be right. */
async function requireAccountKeys(source: AccountKeySource, { keyId }: SealedSecret): Promise<AccountKeys> {
  const text = await readSource(source, readAccountKey);
  if (text === '') {
    throw new UsageError(
      `TILLHOUSE_ACCOUNT_KEY is not set, and there is no ${pathOf(source)}, but this database belongs to the account key ${keyId}. ` +
        'Set the variable to that key, or bring the file back from a backup.',
    );
  }
  const keys = toKeys(text, source);
  if (keys.sealing.ids.includes(keyId)) return keys;
  throw new UsageError(
    `${keys.source} has the account key ${keys.sealing.ids.join(', ')}, but this database belongs to the account key ${keyId}. ` +
      'Give the key that its servers have had. To replace that key, give both, the new one first, separated by a comma, and run: ' +
      'tillhouse secrets rotate',
  );
}

/** Hashes from before this version were made with the account key. With several it is unknown which one that was. */
function requireOne({ source, texts }: AccountKeys): string {
  const [only = '', ...others] = texts;
  if (others.length === 0) return only;
  throw new UsageError(
    `${source} has ${texts.length} account keys, but this database has no fingerprint of its key yet. ` +
      'Start once with the key alone that its servers have had. After that it can be replaced.',
  );
}

function pathOf({ dataDir }: AccountKeySource): string {
  return join(dataDir, SECRET_FILES.accountKey);
}

async function readSource(
  { accountKey, dataDir }: AccountKeySource,
  readFile: (dataDir: string) => Promise<string>,
): Promise<string> {
  return accountKey ?? readFile(dataDir);
}

function toKeys(text: string, source: AccountKeySource): AccountKeys {
  const texts = text
    .split(/[,\n]/)
    .map((each) => each.trim())
    .filter(Boolean);
  return {
    source: source.accountKey === undefined ? `The file ${pathOf(source)}` : 'TILLHOUSE_ACCOUNT_KEY',
    texts,
    // An account key is any text, and not used twice: what encrypts is derived from it.
    sealing: new SealingKeys(texts.map((each) => hashWithKey(each, 'encrypts the key of hashes').toString('base64'))),
  };
}
