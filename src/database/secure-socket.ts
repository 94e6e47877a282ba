/**
 * Starts TLS with the database. The driver supports TLS itself, but then the guard could not read the server's messages before
 * the driver responds to them (authentication.ts).
 */
import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { readTlsFiles, type TlsFiles } from './tls-files.js';
import { DatabaseUnavailable } from './unavailable.js';

export interface TlsRules {
  /** The `sslmode` of the connection string, as the driver parses it. */
  readonly mode: string | boolean | object;
  /** `sslnegotiation=direct`: starts TLS without an SSLRequest. */
  readonly direct: boolean;
  readonly files: TlsFiles;
}

/** The SSLRequest message: its length, and a fixed code in place of the protocol version. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Without `sslrootcert` these modes encrypt but do not verify the certificate of the server. */
const UNVERIFIED = ['allow', 'prefer', 'require'];

/** These modes continue without TLS if the server does not support it. */
const OPTIONAL = ['allow', 'prefer'];

/** Returns the TLS socket over a connected socket, or the socket itself if the server has no TLS and the mode allows that. */
export async function startTls(plain: Socket, host: string, rules: TlsRules): Promise<Socket> {
  return (await negotiate(plain, rules)) ? begin(plain, host, rules) : plain;
}

async function negotiate(plain: Socket, { mode, direct }: TlsRules): Promise<boolean> {
  if (direct) return true;
  plain.write(SSL_REQUEST);
  const answer = String(await once(plain, 'data'));
  if (answer === 'S') return true;
  if (answer === 'N' && OPTIONAL.includes(String(mode))) return false;
  // More than one byte is an attack: an attacker on the network injects data that would be read as if it had come over TLS.
  throw new Error(answer === 'N' ? 'the server does not speak TLS, which sslmode requires' : 'the server refused TLS');
}

async function begin(plain: Socket, host: string, rules: TlsRules): Promise<Socket> {
  plain.on('error', () => {}); // the TLS socket reports the error
  const secure = connectTls({
    socket: plain,
    host, // the certificate must have this name or address
    ...(isIP(host) === 0 && { servername: host }),
    ...(rules.direct && { ALPNProtocols: ['postgresql'] }),
    ...readTlsFiles(rules.files),
    ...verificationOf(rules),
  });
  await once(secure, 'secureConnect').catch((error: unknown) => {
    throw explainCertificate(error, host);
  });
  return secure;
}

/**
 * As libpq does: with `sslrootcert` every mode verifies who signed the certificate, and only `verify-full` verifies its name. Without it
 * `verify-ca` verifies the name too, because anybody can get a certificate of the authorities that Node.js trusts.
 */
function verificationOf({ mode, files }: TlsRules): ConnectionOptions {
  if (typeof mode === 'object') return mode;
  const hasAuthorities = files.sslrootcert !== undefined;
  const anyName = hasAuthorities && mode !== 'verify-full';
  return {
    rejectUnauthorized: hasAuthorities || !UNVERIFIED.includes(String(mode)),
    ...(anyName && { checkServerIdentity: () => undefined }),
  };
}

/** The codes of Node.js and OpenSSL for a certificate that is not accepted. */
const NOT_ACCEPTED = /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|INVALID_)/;

function explainCertificate(error: unknown, host: string): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!NOT_ACCEPTED.test(code)) return error;
  const help = /ALTNAME/.test(code)
    ? 'Connect to a name in the certificate'
    : 'sslrootcert must name the file with the certificate of the authority that signed it';
  return new DatabaseUnavailable(
    `the certificate of the database server ${host} is not accepted: ${message.replace(/\.$/, '')}. ${help}`,
    { code: 'CONNECTION_UNSAFE', cause: error },
  );
}

/** Waits for an event. Rejects if the socket fails or closes first. */
function once(socket: Socket, event: 'data' | 'secureConnect'): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void): void => {
      socket.off(event, succeed).off('error', fail).off('close', end);
      then();
    };
    const succeed = (value: unknown): void => settle(() => resolve(value));
    const fail = (error: Error): void => settle(() => reject(error));
    const end = (): void => fail(new Error('the server closed the connection before TLS was established'));
    socket.once(event, succeed).once('error', fail).once('close', end);
  });
}
