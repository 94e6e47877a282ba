/** `tillhouse merchant export|import`: prints a merchant of a running sandbox as a file, and creates one from a file (decision 0276). */
import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { UsageError } from '../base/config.js';
import type { RunningSandbox } from './running-server.js';

interface Created {
  readonly merchant: { readonly id: string; readonly locations: readonly { readonly id: string }[] };
  readonly access_token: string;
}

export const FILE_ACTIONS = {
  async export(sandbox: RunningSandbox, merchantId: string): Promise<void> {
    const path = `merchants/${encodeURIComponent(merchantId)}/file`;
    const { file } = await sandbox.call<{ file: unknown }>('GET', path);
    console.log(JSON.stringify(file, null, 2));
  },

  /** `-` is the standard input. */
  async import(sandbox: RunningSandbox, path: string): Promise<void> {
    const file = await readJson(path);
    const { merchant, access_token } = await sandbox.call<Created>('POST', 'merchant-files', { file });
    const location_ids = merchant.locations.map(({ id }) => id);
    console.log(JSON.stringify({ merchant_id: merchant.id, location_ids, access_token }, null, 2));
  },
};

async function readJson(path: string): Promise<unknown> {
  const text =
    path === '-'
      ? await readText(process.stdin)
      : await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
          throw new UsageError(`${path} cannot be read (${error.code}).`);
        });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${(error as Error).message}.`);
  }
}
