/** Protects the password of the database: it is used only with servers that authenticate by SCRAM. */
import type { Socket } from 'node:net';

export interface AuthenticationRules {
  /** Also refuses a server that asks for no password. For servers whose settings are known. */
  readonly requireScram?: boolean;
}

/** The server asked for the password in a way that reveals it, or did not prove that it knows the password. */
export class UnsafeAuthentication extends Error {
  override readonly name = 'UnsafeAuthentication';
  readonly code = 'CONNECTION_UNSAFE';
}

const HEADER_BYTES = 5;
/** The header (type and length of the message) and the number of the authentication step. */
const STEP_BYTES = HEADER_BYTES + 4;
const AUTHENTICATION_MESSAGE = 'R'.charCodeAt(0);

const NOT_POSTGRES = 'The server at the address of the database does not speak the PostgreSQL protocol.';

const OK = 0;
const SASL = 10;
const SASL_CONTINUE = 11;
const SASL_FINAL = 12;

/** Other authentication methods, by their number in the protocol. */
const OTHER_METHODS: Readonly<Record<number, string>> = {
  2: 'a Kerberos ticket',
  3: 'the password in clear text',
  5: 'the password as an MD5 hash',
  7: 'a GSSAPI ticket',
  9: 'an SSPI ticket',
};

/**
 * Reads the messages of the server before the driver does. The driver accepts every authentication method, so a server that
 * pretends to be the database could ask for the password in clear text. The driver also accepts a server that skips its own proof.
 * It responds to authentication messages at any time, so the guard stays for the whole connection.
 */
export function guardAuthentication<Guarded extends Socket>(socket: Guarded, rules: AuthenticationRules = {}): Guarded {
  const findSteps = createStepFinder();
  const judge = createJudge(rules);
  const { push } = socket;
  // Overrides `push`: a listener could not withhold a chunk from the driver, and the driver sometimes removes all listeners.
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    const refusal = chunk === null ? undefined : findSteps(chunk, judge);
    if (refusal === undefined) return push.call(socket, chunk, encoding);
    socket.destroy(new UnsafeAuthentication(refusal));
    return false;
  };
  return socket;
}

/** Checks the next step of an authentication. Returns the reason if it is refused. */
type Judge = (step: number) => string | undefined;

/** SCRAM has three steps. In the last one the server proves that it knows the password; the driver verifies that proof. */
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
      'The database server asked for no password, so it may be a different server. ' +
      'Its pg_hba.conf must have the method scram-sha-256 in every line.'
    );
  }
  if (step === OK || (step >= SASL && step <= SASL_FINAL)) {
    return 'The database server skipped a step of SCRAM, so it did not prove that it knows the password.';
  }
  return (
    `The database server asked for ${OTHER_METHODS[step] ?? `an unknown authentication method (${step})`}, but Tillhouse ` +
    'authenticates by SCRAM only, which does not reveal the password. Use the method scram-sha-256 in the pg_hba.conf of that ' +
    "server, with password_encryption = 'scram-sha-256', and set the role's password again if it was stored as md5."
  );
}

/**
 * Parses the messages, however they are split into chunks, and passes the authentication steps to the judge. The driver acts on
 * complete messages, so a step is refused in time as long as its last byte has not been passed on.
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
      // `start` never overflows: `filled` is reset after HEADER_BYTES, or after STEP_BYTES for an authentication message.
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
