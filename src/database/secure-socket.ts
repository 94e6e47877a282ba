/**
 * Speaks TLS with the database. The driver could, too, but then nobody could read along what the server asks before the
 * driver answers it (authentication.ts).
 */
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface TlsRules {
  /** How the connection string asks for TLS, as the driver reads it: `sslmode=require` and the like. */
  readonly mode: string | boolean | object;
  /** `sslnegotiation=direct`: begins with TLS, without asking first. */
  readonly direct: boolean;
}

/** The question whether the server speaks TLS: its length, and a number that stands where a version would. */
const TLS_QUESTION = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** These hide what is sent from who only listens; whoever wants to know the server asks for `verify-full`. */
const UNVERIFIED = ['allow', 'prefer', 'require'];

/** These do without TLS where the server has none. */
const OPTIONAL = ['allow', 'prefer'];

/** Over a socket that is connected. Where the server has no TLS and may do without, the socket stays as it is. */
export async function startTls(plain: Socket, host: string, rules: TlsRules): Promise<Socket> {
  return (await mayBegin(plain, rules)) ? begin(plain, host, rules) : plain;
}

async function mayBegin(plain: Socket, { mode, direct }: TlsRules): Promise<boolean> {
  if (direct) return true;
  plain.write(TLS_QUESTION);
  const answer = String(await happened(plain, 'data'));
  if (answer === 'S') return true;
  if (answer === 'N' && OPTIONAL.includes(String(mode))) return false;
  // More than the one letter was put there by somebody in between, to be read as if it had come over TLS.
  throw new Error(answer === 'N' ? 'the server does not speak TLS, which sslmode demands' : 'the server refused TLS');
}

async function begin(plain: Socket, host: string, { mode, direct }: TlsRules): Promise<Socket> {
  plain.on('error', () => {}); // the one above it tells
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
function happened(socket: Socket, event: 'data' | 'secureConnect'): Promise<unknown> {
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
