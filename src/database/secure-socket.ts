/**
 * Starts TLS with the database. The driver supports TLS itself, but then the guard could not read the server's messages before
 * the driver responds to them (authentication.ts).
 */
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface TlsRules {
  /** The `sslmode` of the connection string, as the driver parses it. */
  readonly mode: string | boolean | object;
  /** `sslnegotiation=direct`: starts TLS without an SSLRequest. */
  readonly direct: boolean;
}

/** The SSLRequest message: its length, and a fixed code in place of the protocol version. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** These modes encrypt but do not verify the certificate of the server; `verify-full` does. */
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

async function begin(plain: Socket, host: string, { mode, direct }: TlsRules): Promise<Socket> {
  plain.on('error', () => {}); // the TLS socket reports the error
  const secure = connectTls({
    socket: plain,
    ...(isIP(host) === 0 && { servername: host }),
    ...(direct && { ALPNProtocols: ['postgresql'] }),
    ...(typeof mode === 'object' ? mode : { rejectUnauthorized: !UNVERIFIED.includes(String(mode)) }),
  });
  await once(secure, 'secureConnect');
  return secure;
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
