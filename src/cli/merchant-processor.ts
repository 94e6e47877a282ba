/** `tillhouse merchant processor`: chooses the card processor of one merchant (decision 0183). */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import {
  type AdapterAddress,
  DATA_FLAGS,
  secretsKeysFromEnvironment,
  toAdapterAddress,
  toAdapterUrl,
  UsageError,
} from '../base/config.js';
import { SealingKeys, UnopenedSecret } from '../base/sealing.js';
import { printSeconds } from '../base/time.js';
import { chooseProcessor, clearProcessor, replaceProcessorSecret } from '../business/merchants/processor-choice.js';
import { findChosenProcessor } from '../business/merchants/processor-queries.js';
import { KNOWN_DAYS, moveProcessor } from '../business/reconciliation/move-processor.js';
import type { Database } from '../database/database.js';
import { listMerchantProcessors, type MerchantProcessor } from '../processor/merchant-processor-queries.js';
import { openMerchantProcessor } from '../processor/merchant-processors.js';
import { OUTPUT_FLAG, required, withDatabase } from './command.js';
import { type Call, command } from './declare.js';
import { printTable } from './table.js';

const FLAGS = {
  processor: { value: 'URL', fallback: '', about: 'the address of the adapter (set, move, secret)' },
  to: { value: 'URL', fallback: '', about: 'its new address (move)' },
  'repeat-open-calls': {
    value: '',
    fallback: '',
    isSwitch: true,
    about:
      'move although calls have no outcome and no payment can be compared: the new address makes those that it does not know again, ' +
      'which can charge or refund a card twice. Look them up at the card processor first (move)',
  },
  'secret-file': {
    value: 'FILE|-',
    fallback: '',
    about: 'where the secret of the adapter is read from; -: standard input (set, secret)',
  },
  output: OUTPUT_FLAG,
  ...DATA_FLAGS,
} as const;

const ABOUT = `set     New card payments of the merchant go to this adapter. For one that only has another address now, use move.
clear   They go to the processor of the server again.
move    The adapter has another address now, with all its records: calls for its payments go there.
secret  Replaces the secret of an adapter that the merchant has, also of a former one.
show    Lists the adapters that the merchant has and had.

Running servers follow within two seconds. Earlier payments stay at the processor that has them: it captures, voids and refunds them.
TILLHOUSE_SECRETS_KEY must be the key that encrypts the secrets, the same as for tillhouse serve.`;

const MERCHANT_ID = { is: 'merchant id', like: 'MERCHANT_ID' };

export const merchantProcessor = command({
  name: 'merchant processor',
  summary: 'choose the card processor of a merchant',
  usage: 'set|clear|move|secret|show MERCHANT_ID [flags]',
  about: ABOUT,
  flags: FLAGS,
  actions: { set: MERCHANT_ID, clear: MERCHANT_ID, move: MERCHANT_ID, secret: MERCHANT_ID, show: MERCHANT_ID },
  async run({ values, action, word: merchantId }) {
    const keys = new SealingKeys(secretsKeysFromEnvironment());
    const isKnown = await withDatabase(values, await ACTIONS[action]({ values, keys, merchantId }));
    if (!isKnown) throw new UsageError(`There is no merchant ${merchantId}.`);
  },
});

interface Asked extends Pick<Call<typeof FLAGS>, 'values'> {
  readonly keys: SealingKeys;
  readonly merchantId: string;
}

/** Reads flags and files before the database is opened. The returned function returns false if there is no such merchant. */
type Action = (asked: Asked) => Promise<(database: Database) => Promise<boolean>>;

const ACTIONS: Readonly<Record<'set' | 'clear' | 'move' | 'secret' | 'show', Action>> = {
  async set(asked) {
    const { keys, merchantId } = asked;
    const adapter = await readAdapter(asked);
    return async (database) => {
      const chosen = await chooseProcessor(database, keys, merchantId, adapter);
      if (!chosen) return false;
      console.log(`New card payments go to ${adapter.url} (processor ${chosen.id}).`);
      if (chosen.former !== undefined) {
        console.log(`Earlier ones stay at ${chosen.former}, so leave it running.`);
      }
      return true;
    };
  },

  async move({ keys, merchantId, values }) {
    const from = toAdapterUrl(required(values.processor, 'processor'), '--processor', 'an https URL');
    const to = toAdapterUrl(required(values.to, 'to'), '--to', 'an https URL');
    return async (database) => {
      const repeatsOpenCalls = values['repeat-open-calls'] === 'on';
      const moved = await moveProcessor(database, keys, { merchantId, from, to, repeatsOpenCalls });
      if (!moved) return false;
      console.log(`The adapter at ${from} is at ${to} now (processor ${moved.id}).`);
      if (!moved.isCompared) {
        console.log(`Its records could not be compared: there is no approved payment in ${KNOWN_DAYS} days.`);
      }
      if (moved.repeatedCalls > 0) {
        console.log(
          `Calls without an outcome that the new address gets: ${moved.repeatedCalls}. Compare the records of these days: tillhouse reconcile`,
        );
      }
      return true;
    };
  },

  async secret(asked) {
    const { keys, merchantId } = asked;
    const adapter = await readAdapter(asked);
    return async (database) => {
      const id = await replaceProcessorSecret(database, keys, merchantId, adapter);
      if (id === null) {
        throw new UsageError(
          `The merchant has no adapter at ${adapter.url}. Choose it: tillhouse merchant processor set`,
        );
      }
      if (id !== undefined) console.log(`The secret of ${adapter.url} (processor ${id}) is replaced.`);
      return id !== undefined;
    };
  },

  async clear({ merchantId }) {
    return async (database) => {
      const isCleared = await clearProcessor(database, merchantId);
      const done = isCleared ? 'New card payments go' : 'The merchant has chosen no adapter. New card payments go';
      if (isCleared !== undefined) console.log(`${done} to the processor of the server.`);
      return isCleared !== undefined;
    };
  },

  async show({ keys, merchantId, values }) {
    return async ({ sql }) => {
      const chosen = await findChosenProcessor(sql, merchantId);
      if (!chosen) return false;
      const rows = (await listMerchantProcessors(sql, merchantId)).map((row) => ({
        processor_id: row.id,
        kind: row.kind,
        address: row.address,
        chosen: row.id === chosen.processorId,
        key_id: row.keyId,
        secret: describeSecret(keys, row),
        created_at: printSeconds(row.createdAt),
      }));
      if (values.output === 'json') {
        console.log(JSON.stringify({ chosen: chosen.processorId, processors: rows }, null, 2));
        return true;
      }
      if (rows.length > 0) {
        const heads = ['processor', 'address', 'chosen', 'key', 'created', 'secret'];
        const cells = rows.map((row) => [row.processor_id, row.address, row.chosen ? 'yes' : 'no', row.key_id]);
        printTable(
          heads,
          cells.map((cell, index) => [...cell, rows[index]?.created_at ?? '', rows[index]?.secret ?? '']),
        );
      }
      if (chosen.processorId === null) console.log('New card payments go to the processor of the server.');
      return true;
    };
  },
};

function describeSecret(keys: SealingKeys, row: MerchantProcessor): string {
  try {
    openMerchantProcessor(keys, row);
    return 'ok';
  } catch (error) {
    if (error instanceof UnopenedSecret) return error.message;
    throw error;
  }
}

/** The secret never comes from an argument, which other processes can read. */
async function readAdapter({ values, keys }: Asked): Promise<AdapterAddress> {
  const url = required(values.processor, 'processor');
  const path = required(values['secret-file'], 'secret-file');
  if (keys.ids.length === 0) {
    throw new UsageError(
      'TILLHOUSE_SECRETS_KEY is required: it encrypts the secret. Create a key with: openssl rand -base64 32',
    );
  }
  const secret = (path === '-' ? await text(process.stdin) : await readSecret(path)).trim();
  return toAdapterAddress(url, secret, '--processor', 'The secret in --secret-file');
}

async function readSecret(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--secret-file: ${path} cannot be read (${error.code}).`);
  });
}
