/** Guards the database's password: only a server that asks for it by SCRAM gets an answer. */
import type { Socket } from 'node:net';

export interface AuthenticationRules {
  /** Also refuses a server that asks for no password. For one whose settings we know. */
  readonly requireScram?: boolean;
}

/** A server that wants the password in a way that would give it away, or that does not prove that it knows it. */
export class UnsafeAuthentication extends Error {
  override readonly name = 'UnsafeAuthentication';
  readonly code = 'CONNECTION_UNSAFE';
}

const HEADER_BYTES = 5;
/** The type of the message, its length, and which step of the authentication it is. */
const STEP_BYTES = HEADER_BYTES + 4;
const AUTHENTICATION_MESSAGE = 'R'.charCodeAt(0);

const NOT_POSTGRES = 'What answers at the address of the database does not speak as PostgreSQL does.';

const OK = 0;
const SASL = 10;
const SASL_CONTINUE = 11;
const SASL_FINAL = 12;

/** What other servers ask for, by the number that the protocol gives it. */
const OTHER_METHODS: Readonly<Record<number, string>> = {
  2: 'a Kerberos ticket',
  3: 'the password in clear text',
  5: 'the password as an MD5 hash',
  7: 'a GSSAPI ticket',
  9: 'an SSPI ticket',
};

/**
 * Reads what the server sends before the driver does. The driver would answer every server in the way it asks, so one that only
 * pretends to be the database could ask for the password itself; it would also take the word of a server that leaves out its
 * half of the proof. It answers at any time, so the guard stays as long as the connection.
 */
export function guardAuthentication<Guarded extends Socket>(socket: Guarded, rules: AuthenticationRules = {}): Guarded {
  const findSteps = createStepFinder();
  const judge = createJudge(rules);
  const { push } = socket;
  // `push` and not a listener: a listener cannot keep a chunk from the others, and the driver removes all of them at times.
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    const refusal = chunk === null ? undefined : findSteps(chunk, judge);
    if (refusal === undefined) return push.call(socket, chunk, encoding);
    socket.destroy(new UnsafeAuthentication(refusal));
    return false;
  };
  return socket;
}

/** Says why the next step of an authentication is refused. */
type Judge = (step: number) => string | undefined;

/** SCRAM takes three steps, of which the last proves that the server knows the password too; the driver checks that proof. */
function createJudge({ requireScram = false }: AuthenticationRules): Judge {
  let next: number | undefined = SASL;
  return (step) => {
    if (step === SASL && next === SASL) next = SASL_CONTINUE;
    else if (step === SASL_CONTINUE && next === SASL_CONTINUE) next = SASL_FINAL;
    else if (step === SASL_FINAL && next === SASL_FINAL) next = OK;
    else if (step === OK && (next === OK || (next === SASL && !requireScram))) next = undefined;
    else return reasonOf(step, next);
    return undefined;
  };
}

function reasonOf(step: number, next: number | undefined): string {
  if (next === undefined)
    return 'The database server asked for the password a second time, which PostgreSQL never does.';
  if (step === OK && next === SASL) {
    return (
      'The database server asked for no password, so it may be another one than ours. ' +
      'Its pg_hba.conf must have the method scram-sha-256 in every line.'
    );
  }
  if (step === OK || (step >= SASL && step <= SASL_FINAL)) {
    return 'The database server left out a step of SCRAM, so it did not prove that it knows the password.';
  }
  return (
    `The database server asked for ${OTHER_METHODS[step] ?? `authentication of an unknown kind (${step})`}, and Tillhouse ` +
    'gives a password away to no server: it proves it by SCRAM only. Use the method scram-sha-256 in the pg_hba.conf of that ' +
    "server, with password_encryption = 'scram-sha-256', and set the role's password again if it was stored as md5."
  );
}

/**
 * Goes from message to message, however they are cut into chunks, and shows the authentication's steps to a judge. Whoever reads
 * behind it acts on whole messages, so judging a step before its last byte is passed on is in time.
 */
function createStepFinder(): (chunk: Buffer, judge: Judge) => string | undefined {
  const start = Buffer.alloc(STEP_BYTES);
  let filled = 0;
  let skipping = 0;
  return (chunk, judge) => {
    for (let at = 0; at < chunk.length; ) {
      if (skipping > 0) {
        const skipped = Math.min(skipping, chunk.length - at);
        skipping -= skipped;
        at += skipped;
        continue;
      }
      // What is read below is at most the length that was checked before, so the start of a message is never overrun.
      start[filled++] = chunk[at++] ?? 0;
      if (filled < HEADER_BYTES) continue;
      const length = start.readUInt32BE(1);
      if (start[0] !== AUTHENTICATION_MESSAGE) {
        if (length < 4) return NOT_POSTGRES;
        skipping = length - 4;
        filled = 0;
      } else if (length < 8) {
        return NOT_POSTGRES;
      } else if (filled === STEP_BYTES) {
        const refusal = judge(start.readUInt32BE(HEADER_BYTES));
        if (refusal !== undefined) return refusal;
        skipping = length - 8;
        filled = 0;
      }
    }
    return undefined;
  };
}
