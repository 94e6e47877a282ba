/** `tillhouse secrets`: the keys that encrypt the secrets of merchants (decision 0184). */
import {
  DATA_FLAGS,
  parseArguments,
  rejectExtraArguments,
  secretsKeysFromEnvironment,
  toDataConfig,
  UsageError,
} from '../base/config.js';
import { SealingKeys, UnopenedSecret } from '../base/sealing.js';
import type { Database, Tx } from '../database/database.js';
import { recordAudit } from '../identity/audit.js';
import { listKeysInUse, type MerchantProcessor } from '../processor/merchant-processor-queries.js';
import { rotateSecrets } from '../processor/merchant-processors.js';
import { actionOf, type Command, OUTPUT_FLAG, printHelp, withDatabase } from './command.js';
import { printTable } from './table.js';

const FLAGS = { output: OUTPUT_FLAG, ...DATA_FLAGS } as const;

const ABOUT = `status  Lists the keys of TILLHOUSE_SECRETS_KEY and how many secrets of merchants each has encrypted.
rotate  Encrypts every secret with the first key. It can be run again, and beside running servers.

To replace a key: add the new one to TILLHOUSE_SECRETS_KEY of every server and restart them; run rotate with the new key first and
the old one after it; and remove the old key when status no longer shows it in use.`;

export const secrets: Command = {
  name: 'secrets',
  summary: 'show and replace the keys that encrypt the secrets of merchants',
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) return printHelp('secrets status|rotate [flags]', ABOUT, FLAGS);
    const action = actionOf(call, ['status', 'rotate']);
    rejectExtraArguments(call, 1);
    const keys = new SealingKeys(secretsKeysFromEnvironment());
    const asJson = call.values.output === 'json';
    await withDatabase(toDataConfig(call.values), (database) => ACTIONS[action](database, keys, asJson), {
      creates: false,
    });
  },
};

const ACTIONS = {
  async rotate(database: Database, keys: SealingKeys, asJson: boolean): Promise<void> {
    const [first] = keys.ids;
    if (first === undefined) throw new UsageError('TILLHOUSE_SECRETS_KEY is required: its first key encrypts.');
    const { rotated, current } = await rotateSecrets(database, keys, recordRotation(first)).catch((error: unknown) => {
      if (error instanceof UnopenedSecret) throw new UsageError(`Nothing was changed: ${error.message}.`);
      throw error;
    });
    if (asJson) console.log(JSON.stringify({ key_id: first, rotated, current }, null, 2));
    else console.log(`${rotated} secrets are now encrypted with key ${first}; ${current} already were.`);
  },

  async status({ sql }: Database, keys: SealingKeys, asJson: boolean): Promise<void> {
    const inUse = await listKeysInUse(sql);
    const unused = keys.ids.filter((id) => !inUse.some(({ keyId }) => keyId === id));
    const rows = [...inUse, ...unused.map((keyId) => ({ keyId, secrets: 0 }))].map(({ keyId, secrets: count }) => ({
      key_id: keyId,
      secrets: count,
      given: keys.ids[0] === keyId ? 'first' : keys.ids.includes(keyId) ? 'yes' : 'no',
    }));
    if (asJson) console.log(JSON.stringify({ keys: rows }, null, 2));
    else if (rows.length === 0) console.log('There are no secrets, and TILLHOUSE_SECRETS_KEY is not set.');
    else
      printTable(
        ['key', 'secrets', 'given'],
        rows.map((row) => [row.key_id, String(row.secrets), row.given]),
      );
    // A secret that nobody can decrypt is a reason to look.
    if (rows.some(({ given }) => given === 'no')) process.exitCode = 1;
  },
};

function recordRotation(keyId: string) {
  return (tx: Tx, { merchantId, id, keyId: before }: MerchantProcessor): Promise<void> =>
    recordAudit(tx, {
      kind: 'PROCESSOR_SECRET_ROTATED',
      merchantId,
      details: { processor_id: id, key_id: keyId, former_key_id: before },
    });
}
