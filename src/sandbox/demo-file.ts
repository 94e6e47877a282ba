/** The file in which a server tells programs how to reach its demo business. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What `demo.json` holds, under the names that scripts read. */
export interface DemoFile {
  readonly base_url: string;
  readonly merchant_id: string;
  readonly location_ids: readonly string[];
  readonly access_token: string;
  readonly operator_key: string;
  readonly dashboard: { readonly email: string; readonly password: string };
  /** The merchant's own application, whose token may do what a shop on the web needs. */
  readonly application?: { readonly id: string; readonly access_token: string };
}

export function demoFilePath(dataDir: string): string {
  return join(dataDir, 'demo.json');
}

export async function readDemoFile(dataDir: string): Promise<DemoFile | undefined> {
  try {
    return JSON.parse(await readFile(demoFilePath(dataDir), 'utf8')) as DemoFile;
  } catch {
    return undefined; // gone or spoiled: new secrets are made
  }
}
