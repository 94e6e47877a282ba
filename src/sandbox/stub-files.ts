/** Reads the stubs of a folder, with which a server starts (`--stubs`). */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { realIds } from '../base/ids.js';
import type { Database } from '../database/database.js';
import { checkStub } from './stub-check.js';
import type { StubDefinition } from './stub-definition.js';
import { deleteStubsOfFiles, insertStub } from './stub-queries.js';

export interface StubOfFile {
  /** The path of the file in the folder. */
  readonly source: string;
  readonly definition: StubDefinition;
}

/** Puts the stubs of the folder in the place of those of an earlier start. Without a folder there are none then. */
export async function openStubFolder(database: Database, folder: string | undefined): Promise<void> {
  const stubs = folder === undefined ? [] : await readStubFolder(folder);
  await database.transaction(async (tx) => {
    await deleteStubsOfFiles(tx);
    for (const stub of stubs) await insertStub(tx, { ...stub, id: realIds.newId(20), merchantId: null, used: 0 });
  });
}

/** In the order of the names of the files. */
async function readStubFolder(folder: string): Promise<readonly StubOfFile[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: Error) => {
    throw new UsageError(`--stubs (TILLHOUSE_STUBS) is no folder that can be read: ${error.message}.`);
  });
  const files = names.filter((name) => name.endsWith('.json')).sort();
  const stubs = await Promise.all(
    files.map(async (source) =>
      (await readStubFile(join(folder, source))).map((definition) => ({ source, definition })),
    ),
  );
  return stubs.flat();
}

/** A file has one stub, or a list of them. */
export async function readStubFile(path: string): Promise<readonly StubDefinition[]> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`${path} cannot be read: ${error.message}.`);
  });
  return parseStubs(text, path);
}

/** `from` is where the text is from, for messages. */
export function parseStubs(text: string, from: string): readonly StubDefinition[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${from} is not JSON: ${(error as Error).message}.`);
  }
  const isList = Array.isArray(parsed);
  return (isList ? (parsed as unknown[]) : [parsed]).map((each, index) => {
    try {
      return checkStub(each);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw new UsageError(`${from}${isList ? `, stub ${index + 1}` : ''}: ${error.message}`);
    }
  });
}
