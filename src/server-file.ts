/** Leaves word in the data folder of the server that runs on it, for commands that come later. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface ServerRecord {
  /** Where clients reach it; perhaps only through a proxy. */
  readonly base_url: string;
  /** Where this machine reaches it. */
  readonly local_url: string;
  readonly pid: number;
  readonly mode: 'sandbox' | 'production';
  /** Whether what demo.json says holds for it. */
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

/** A record that another process wrote meanwhile is not ours to remove. */
export async function removeServerRecord(dataDir: string): Promise<void> {
  const record = await readServerRecord(dataDir);
  if (record?.pid === process.pid) await rm(path(dataDir), { force: true });
}
