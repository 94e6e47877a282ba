/** Knows by an error's code that the database cannot do its work right now, and says why in words. */
import { UsageError } from '../base/config.js';

const UNREACHABLE = 'The database cannot be reached.';
const READ_ONLY = 'The database is read-only.';

/** A connection was not made, or was lost, or is not tried at all while the database is known to be away. */
export class DatabaseUnavailable extends Error {
  readonly code: string;
  /** For people who ask whether the server is ready: names no address. */
  readonly reason: string;

  constructor(message: string, { code, cause, reason }: { code: string; cause?: unknown; reason?: string }) {
    super(message, { cause });
    this.name = 'DatabaseUnavailable';
    this.code = code;
    this.reason = reason ?? REASONS[code] ?? UNREACHABLE;
  }
}

/** The driver's, PostgreSQL's and the system's words. */
const REASONS: Readonly<Record<string, string>> = {
  CONNECTION_CLOSED: UNREACHABLE,
  CONNECTION_ENDED: 'The server is stopping.',
  CONNECTION_DESTROYED: UNREACHABLE,
  CONNECT_TIMEOUT: 'The database does not answer.',
  CONNECTION_UNSAFE: 'What answers does not prove that it is the database, or asks for the password in an unsafe way.',
  SASL_SIGNATURE_MISMATCH: 'What answers is not the database that this server knows.',
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: UNREACHABLE,
  ECONNABORTED: UNREACHABLE,
  EPIPE: UNREACHABLE,
  ETIMEDOUT: 'The database does not answer.',
  EHOSTUNREACH: UNREACHABLE,
  EHOSTDOWN: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ENETDOWN: UNREACHABLE,
  ENOTFOUND: "The database's host name is not known.",
  EAI_AGAIN: "The database's host name cannot be looked up.",
  '3D000': 'The database does not exist.', // it was taken away
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

/** By the first two characters of PostgreSQL's codes, where the code itself is not above. */
const CLASSES: Readonly<Record<string, string>> = {
  '08': UNREACHABLE,
  '28': "The database refuses the server's role or password.",
  '53': 'The database has too few resources.',
  '58': 'The database has trouble with its system.',
};

/** Trouble with writing alone: reading goes on. */
const ONLY_WRITES = new Set(['25006', '53100']);

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/** Undefined where the error says nothing about the database as a whole. */
export function whyUnavailable(error: unknown): string | undefined {
  if (error instanceof DatabaseUnavailable) return error.reason;
  const code = codeOf(error);
  return REASONS[code] ?? (/^[0-9A-Z]{5}$/.test(code) ? CLASSES[code.slice(0, 2)] : undefined);
}

export function isWriteFailure(error: unknown): boolean {
  return ONLY_WRITES.has(codeOf(error));
}

/** So that whoever waits for a connection that cannot be made is told what PostgreSQL or the system said. */
export function asUnavailable(error: unknown): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error;
  const { message } = error as Error;
  return new DatabaseUnavailable(message, { code: codeOf(error), cause: error });
}

export function readOnlyDatabase(): DatabaseUnavailable {
  return new DatabaseUnavailable('every host of the database is read-only', { code: '25006' });
}

/** Where the database was named by whoever runs the program, its absence is a mistake in how that was called. */
export function explainUnreachable(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable)) return error;
  return new UsageError(`--database-url (DATABASE_URL) cannot be used: ${error.message}.`);
}
