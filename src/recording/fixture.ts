/** What programs and a server said to each other, as a file of JSON (decision 0268). Secrets are masked. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../base/usage-error.js';
import type { Json } from '../sandbox/stub-definition.js';

export const FIXTURE_VERSION = 1;
export const FIXTURE_FILE = 'fixture.json';

/** Stands for the address of the server in texts. */
export const SERVER = '{server}';

/** Names are in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** JSON is in `body`, and anything else in `text`. Neither: there is none. */
export interface Content {
  readonly headers: Headers;
  readonly body?: Json;
  readonly text?: string;
}

export interface RecordedSide extends Content {
  readonly method: string;
  /** With the query. */
  readonly path: string;
}

export interface RecordedAnswer extends Content {
  readonly status: number;
}

export interface Exchange {
  /** When the request came. */
  readonly at: string;
  readonly request: RecordedSide;
  readonly response: RecordedAnswer;
}

export interface Fixture {
  readonly tillhouse_fixture: number;
  /** The server that answered. */
  readonly target: string;
  readonly exchanges: readonly Exchange[];
}

export function printFixture(fixture: Fixture): string {
  return `${JSON.stringify(fixture, null, 2)}\n`;
}

/** `path` is the file, or the folder of a recording. */
export async function readFixture(path: string): Promise<Fixture> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const file = isFolder ? join(path, FIXTURE_FILE) : path;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${file} cannot be read (${error.code}). Record one first: tillhouse record --target URL --to FOLDER`,
    );
  });
  try {
    return checkFixture(JSON.parse(text), file);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} is not JSON: ${error.message}.`);
    throw error;
  }
}

function checkFixture(value: unknown, file: string): Fixture {
  const { tillhouse_fixture: version, exchanges } = (value ?? {}) as Partial<Fixture>;
  if (!Number.isInteger(version) || !Array.isArray(exchanges)) {
    throw new UsageError(`${file} is no fixture: tillhouse_fixture and exchanges are missing.`);
  }
  if (version !== FIXTURE_VERSION) {
    throw new UsageError(
      `${file} has version ${version} of the format, and this program knows ${FIXTURE_VERSION}: record it again, or update Tillhouse.`,
    );
  }
  for (const [index, exchange] of exchanges.entries()) checkExchange(exchange, `${file}: exchanges[${index}]`);
  return value as Fixture;
}

function checkExchange(value: unknown, place: string): void {
  const { at, request, response } = (value ?? {}) as { [Name in keyof Exchange]?: Partial<Exchange[Name]> };
  const need = (isRight: boolean, member: string, what: string) => {
    if (!isRight) throw new UsageError(`${place}.${member} must be ${what}.`);
  };
  need(typeof at === 'string' && !Number.isNaN(Date.parse(at)), 'at', 'a time such as 2026-02-26T10:15:30Z');
  need(/^[A-Z]{1,20}$/.test(request?.method ?? ''), 'request.method', 'a method in capital letters');
  need(/^\/[\x21-\x7e]*$/.test(request?.path ?? ''), 'request.path', 'a path that begins with a slash');
  need(Number.isInteger(response?.status), 'response.status', 'the number of a status');
  need(isHeaders(request?.headers), 'request.headers', 'an object of texts');
  need(isHeaders(response?.headers), 'response.headers', 'an object of texts');
}

function isHeaders(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((each) => typeof each === 'string');
}
