/** A fake PostgreSQL that implements the protocol up to authentication. It requests the password as the test specifies and records the client's messages. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { SELF_SIGNED } from './certificate.js';

/** Sends bytes and waits for the client's next message. */
export interface Conversation {
  send(bytes: Buffer): void;
  nextMessage(): Promise<Buffer>;
}

export interface FakePostgres {
  readonly port: number;
  /** The messages that clients sent after the startup message. */
  readonly messages: Buffer[];
  close(): Promise<void>;
}

export function message(type: string, body: Buffer | string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
}

/** An authentication message, by its number. */
export function step(number: number, rest: Buffer | string = ''): Buffer {
  const code = Buffer.alloc(4);
  code.writeUInt32BE(number);
  return message('R', Buffer.concat([code, Buffer.from(rest)]));
}

export const READY = message('Z', 'I');
/** The response to any statement. */
export const DONE = Buffer.concat([message('C', 'SELECT 0\0'), READY]);

export async function startFakePostgres(
  talk: (conversation: Conversation) => Promise<void>,
  { tls = 'S' }: { readonly tls?: string } = {},
): Promise<FakePostgres> {
  const messages: Buffer[] = [];
  const sockets = new Set<Socket>();
  const follow = async (socket: Socket): Promise<void> => {
    const incoming = socket[Symbol.asyncIterator]();
    const nextMessage = async (): Promise<Buffer> => {
      const { value, done } = await incoming.next();
      if (done) throw new Error('the client is gone');
      return value as Buffer;
    };
    await nextMessage(); // the startup message
    await talk({
      send: (bytes) => void socket.write(bytes),
      async nextMessage() {
        const bytes = await nextMessage();
        messages.push(bytes);
        return bytes;
      },
    });
    for (;;) messages.push(await nextMessage());
  };
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (bytes: Buffer) => {
      if (bytes.readUInt32BE(4) !== 80_877_103) {
        socket.unshift(bytes);
        void follow(socket).catch(() => {});
        return;
      }
      socket.write(tls);
      if (tls !== 'S') return void follow(socket).catch(() => {});
      const secure = new TLSSocket(socket, { isServer: true, ...SELF_SIGNED });
      secure.on('error', () => {});
      void follow(secure).catch(() => {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
