/** `tillhouse secrets`: the keys that encrypt the secrets of merchants and the key of hashes (decisions 0184 and 0209). */
import {
  accountKeyFromEnvironment,
  DATA_FLAGS,
  secretsKeysFromEnvironment,
  toDataDir,
  UsageError,
} from '../base/config.js';
import { SealingKeys, UnopenedSecret } from '../base/sealing.js';
import type { Database, Tx } from '../database/database.js';
import { recordAudit } from '../identity/audit.js';
import { type AccountKeySource, findHashKeyStatus, prepareRotation } from '../identity/hash-key.js';
import { listKeysInUse, type MerchantProcessor } from '../processor/merchant-processor-queries.js';
import { rotateSecrets } from '../processor/merchant-processors.js';
import { OUTPUT_FLAG, withDatabase } from './command.js';
import { command } from './declare.js';
import { printTable } from './table.js';

const FLAGS = { output: OUTPUT_FLAG, ...DATA_FLAGS } as const;

const ABOUT = `status  Lists the keys of TILLHOUSE_SECRETS_KEY and TILLHOUSE_ACCOUNT_KEY, and how many secrets each has encrypted.
rotate  Encrypts every secret with the first key of each. It can be run again, and beside running servers.

To replace a key: put the new one in front of the old one, separated by a comma, in the variable of every server, and restart them; run
rotate with the same value; and remove the old key when status no longer shows it in use.`;

export const secrets = command({
  name: 'secrets',
  summary: 'show and replace the keys that encrypt secrets: the secrets key and the account key',
  usage: 'status|rotate [flags]',
  about: ABOUT,
  flags: FLAGS,
  actions: { status: undefined, rotate: undefined },
  async run({ values, action }) {
    const given: Given = {
      keys: new SealingKeys(secretsKeysFromEnvironment()),
      account: { accountKey: accountKeyFromEnvironment(), dataDir: toDataDir(values) },
    };
    await withDatabase(values, (database) => ACTIONS[action](database, given, values.output === 'json'));
  },
});

/** What the operator has given. */
interface Given {
  readonly keys: SealingKeys;
  readonly account: AccountKeySource;
}

const ACTIONS = {
  async rotate(database: Database, { keys, account }: Given, asJson: boolean): Promise<void> {
    const [first] = keys.ids;
    const { given } = await findHashKeyStatus(database, account);
    if (first === undefined && given.length === 0)
      throw new UsageError('There is no key: set TILLHOUSE_SECRETS_KEY or TILLHOUSE_ACCOUNT_KEY.');
    const hashKey = given.length === 0 ? undefined : await prepareRotation(database, account); // checked before anything is changed
    const done =
      first === undefined
        ? undefined
        : await rotateSecrets(database, keys, recordRotation(first)).catch((error: unknown) => {
            if (error instanceof UnopenedSecret) throw new UsageError(`Nothing was changed: ${error.message}.`);
            throw error;
          });
    const hasRotated = await hashKey?.commit();
    if (asJson) {
      const ofAccount = hashKey && { account_key: { key_id: hashKey.keyId, rotated: hasRotated } };
      console.log(JSON.stringify({ ...(done && { key_id: first, ...done }), ...ofAccount }, null, 2));
      return;
    }
    if (done) {
      console.log(`${done.rotated} secrets are now encrypted with key ${first}; ${done.current} already were.`);
    }
    if (hashKey)
      console.log(
        `This database ${hasRotated ? 'now belongs' : 'already belonged'} to the account key ${hashKey.keyId}.`,
      );
  },

  async status(database: Database, { keys, account }: Given, asJson: boolean): Promise<void> {
    const inUse = await listKeysInUse(database.sql);
    const hashKey = await findHashKeyStatus(database, account);
    const rows = [
      ...toRows('TILLHOUSE_SECRETS_KEY', inUse, keys.ids),
      ...toRows(
        'TILLHOUSE_ACCOUNT_KEY',
        hashKey.inUse === undefined ? [] : [{ keyId: hashKey.inUse, secrets: 1 }],
        hashKey.given,
      ),
    ];
    if (asJson) console.log(JSON.stringify({ keys: rows }, null, 2));
    else if (rows.length === 0)
      console.log('There are no secrets, and neither TILLHOUSE_SECRETS_KEY nor TILLHOUSE_ACCOUNT_KEY is set.');
    else
      printTable(
        ['key', 'of', 'secrets', 'given'],
        rows.map((row) => [row.key_id, row.variable, String(row.secrets), row.given]),
      );
    // A secret that nobody can decrypt is a reason to look.
    if (rows.some(({ given }) => given === 'no')) process.exitCode = 1;
  },
};

function toRows(variable: string, inUse: readonly { keyId: string; secrets: number }[], given: readonly string[]) {
  const unused = given.filter((id) => !inUse.some(({ keyId }) => keyId === id));
  return [...inUse, ...unused.map((keyId) => ({ keyId, secrets: 0 }))].map(({ keyId, secrets: count }) => ({
    key_id: keyId,
    variable,
    secrets: count,
    given: given[0] === keyId ? 'first' : given.includes(keyId) ? 'yes' : 'no',
  }));
}

function recordRotation(keyId: string) {
  return (tx: Tx, { merchantId, id, keyId: before }: MerchantProcessor): Promise<void> =>
    recordAudit(tx, {
      kind: 'PROCESSOR_SECRET_ROTATED',
      merchantId,
      details: { processor_id: id, key_id: keyId, former_key_id: before },
    });
}
