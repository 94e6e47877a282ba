/**
 * Connects to the database over TLS. The driver could, too, but then nobody could read along what the server asks before the
 * driver answers it (authentication.ts).
 */
import { connect, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

export interface HostAddress {
  readonly host: string;
  readonly port: number;
}

export interface TlsRules {
  /** How the connection string asks for TLS, as the driver reads it: `sslmode=require` and the like. */
  readonly mode: string | boolean | object;
  /** `sslnegotiation=direct`: begins with TLS, without asking first. */
  readonly direct: boolean;
}

/** As long as the driver itself waits for a connection. */
const LIMIT_MS = 10_000;

/** The question whether the server speaks TLS: its length, and a number that stands where a version would. */
const TLS_QUESTION = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** These hide what is sent from who only listens; whoever wants to know the server asks for `verify-full`. */
const UNVERIFIED = ['allow', 'prefer', 'require'];

/**
 * Never rejects, since the driver would never use that connection again: what goes wrong is told by a socket that breaks.
 */
export async function connectSecurely(address: HostAddress, rules: TlsRules): Promise<Socket> {
  const plain = connect({ ...address, noDelay: true });
  const timer = setTimeout(() => plain.destroy(new Error(`no TLS connection within ${LIMIT_MS} ms`)), LIMIT_MS);
  try {
    await happened(plain, 'connect');
    return (await mayBegin(plain, rules)) ? await begin(plain, address.host, rules) : plain;
  } catch (error) {
    plain.destroy();
    return broken(error as Error);
  } finally {
    clearTimeout(timer);
  }
}

async function mayBegin(plain: Socket, { mode, direct }: TlsRules): Promise<boolean> {
  if (direct) return true;
  plain.write(TLS_QUESTION);
  const answer = String(await happened(plain, 'data'));
  if (answer === 'S') return true;
  if (answer === 'N' && mode === 'prefer') return false;
  // More than the one letter was put there by somebody in between, to be read as if it had come over TLS.
  throw new Error(answer === 'N' ? 'the server does not speak TLS, which sslmode demands' : 'the server refused TLS');
}

async function begin(plain: Socket, host: string, { mode, direct }: TlsRules): Promise<Socket> {
  const secure = connectTls({
    socket: plain,
    ...(isIP(host) === 0 && { servername: host }),
    ...(direct && { ALPNProtocols: ['postgresql'] }),
    ...(typeof mode === 'object' ? mode : { rejectUnauthorized: !UNVERIFIED.includes(String(mode)) }),
  });
  await happened(secure, 'secureConnect');
  return secure;
}

/** Waits for an event; rejects where the socket breaks or ends instead. */
function happened(socket: Socket, event: 'connect' | 'data' | 'secureConnect'): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void): void => {
      socket.off(event, succeed).off('error', fail).off('close', end);
      then();
    };
    const succeed = (value: unknown): void => settle(() => resolve(value));
    const fail = (error: Error): void => settle(() => reject(error));
    const end = (): void => fail(new Error('the server closed the connection before TLS was there'));
    socket.once(event, succeed).once('error', fail).once('close', end);
  });
}

/**
 * Breaks when the driver sends its first message. Not before: the driver would keep that message in its memory, put it in front of
 * the first one of its next connection, and never send either.
 */
function broken(error: Error & { code?: string }): Socket {
  error.code ??= 'CONNECTION_TLS';
  return new Duplex({ read() {}, write: (_chunk, _encoding, done) => done(error) }) as Socket;
}
