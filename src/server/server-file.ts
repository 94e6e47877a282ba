/** Records the running server in `server.json` of its data folder, so that commands can find it. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface ServerRecord {
  /** The URL for clients, possibly through a proxy. */
  readonly base_url: string;
  /** The URL on this machine. */
  readonly local_url: string;
  readonly pid: number;
  readonly mode: 'sandbox' | 'production';
  /** Whether demo.json is valid for this server. */
  readonly demo: boolean;
}

const path = (dataDir: string): string => join(dataDir, 'server.json');

export async function recordServer(dataDir: string, record: ServerRecord): Promise<void> {
  await writeFile(path(dataDir), `${JSON.stringify(record, null, 2)}\n`);
}

export async function readServerRecord(dataDir: string): Promise<ServerRecord | undefined> {
  try {
    return JSON.parse(await readFile(path(dataDir), 'utf8')) as ServerRecord;
  } catch {
    return undefined;
  }
}

/** Keeps the record if another process has written it since. */
export async function removeServerRecord(dataDir: string): Promise<void> {
  const record = await readServerRecord(dataDir);
  if (record?.pid === process.pid) await rm(path(dataDir), { force: true });
}
