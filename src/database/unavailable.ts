/** Recognizes by the error code that the database is unavailable, and says why. */
import { UsageError } from '../base/config.js';

const UNREACHABLE = 'The database cannot be reached.';
const READ_ONLY = 'The database is read-only.';

/** A connection failed or was lost, or was not tried because the database is known to be down. */
export class DatabaseUnavailable extends Error {
  readonly code: string;
  /** For `/readyz`. It contains no address. */
  readonly reason: string;

  constructor(message: string, { code, cause, reason }: { code: string; cause?: unknown; reason?: string }) {
    super(message, { cause });
    this.name = 'DatabaseUnavailable';
    this.code = code;
    this.reason = reason ?? REASONS[code] ?? UNREACHABLE;
  }
}

/** By the error codes of the driver, the operating system and PostgreSQL. */
const REASONS: Readonly<Record<string, string>> = {
  CONNECTION_CLOSED: UNREACHABLE,
  CONNECTION_ENDED: 'The server is stopping.',
  CONNECTION_DESTROYED: UNREACHABLE,
  CONNECT_TIMEOUT: 'The database does not respond.',
  CONNECTION_UNSAFE: 'The database server does not prove its identity, or asks for the password in an unsafe way.',
  SASL_SIGNATURE_MISMATCH: 'The database server does not know the password.',
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: UNREACHABLE,
  ECONNABORTED: UNREACHABLE,
  EPIPE: UNREACHABLE,
  ETIMEDOUT: 'The database does not respond.',
  EHOSTUNREACH: UNREACHABLE,
  EHOSTDOWN: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENETDOWN: UNREACHABLE,
  ENOTFOUND: "The database's host name is unknown.",
  EAI_AGAIN: "The database's host name cannot be resolved.",
  '3D000': 'The database does not exist.',
  '25006': READ_ONLY,
  '53100': 'The disk of the database is full.',
  '53200': 'The database is out of memory.',
  '53300': 'The database has no free connection.',
  '53400': 'The database has reached a limit of its configuration.',
  '57P01': 'The database is shutting down.',
  '57P02': 'The database has crashed and is recovering.',
  '57P03': 'The database is starting up or shutting down.',
  '58030': 'The database cannot read or write its files.',
};

/** By the first two characters of PostgreSQL's codes, for codes that are not listed above. */
const CLASSES: Readonly<Record<string, string>> = {
  '08': UNREACHABLE,
  '28': "The database refuses the server's role or password.",
  '53': 'The database does not have enough resources.',
  '58': 'The database has a problem with its operating system.',
};

/** Only writes fail; reads still work. */
const ONLY_WRITES = new Set(['25006', '53100']);

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** Returns undefined if the error does not mean that the database is unavailable. */
export function unavailableReason(error: unknown): string | undefined {
  if (error instanceof DatabaseUnavailable) return error.reason;
  const code = codeOf(error);
  return REASONS[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? CLASSES[code.slice(0, 2)] : undefined);
}

/** The statement did not get a lock in time, and has done nothing. The database itself works. */
export function waitedForLock(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

export function isWriteFailure(error: unknown): boolean {
  return ONLY_WRITES.has(codeOf(error));
}

/** Keeps the message of PostgreSQL or of the operating system. */
export function asUnavailable(error: unknown): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error;
  const { message } = error as Error;
  return new DatabaseUnavailable(message, { code: codeOf(error), cause: error });
}

export function readOnlyDatabase(): DatabaseUnavailable {
  return new DatabaseUnavailable('every host of the database is read-only', { code: '25006' });
}

/** Codes of a URL that has to be changed: its role, password, database or encryption is wrong. */
const WRONG_URL = /^(?:28|3D000|CONNECTION_UNSAFE|SASL)/;

/** The database of --database-url is down, in the words of the operator. */
export class UnreachableDatabase extends Error {}

/**
 * If the operator set the URL of the database, the message names it. Only a wrong URL is a usage error. A database that is down may come
 * back, so a service manager should start the server again, which it does not do after a usage error.
 */
export function explainUnreachable(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable)) return error;
  const text = `--database-url (DATABASE_URL) cannot be used: ${error.message}.`;
  return WRONG_URL.test(error.code) ? new UsageError(text) : new UnreachableDatabase(text, { cause: error });
}
