/** Responses that the framework sends at once, before any other listener of the server runs. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createDrain } from './drain.js';
import { closeUnreadConnections } from './unread.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

let server: Server;
let socket: Socket;

/** Responds in the first listener, as the framework does. */
async function serve(body: Buffer, watch: (watched: Server) => void): Promise<void> {
  server = createServer((_request, response) => response.end(body));
  watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
}

afterEach(() => {
  socket.destroy();
  server.close();
  server.closeAllConnections();
});

it('a response at once asks the client to close its connection while the server stops', async () => {
  let drain: ReturnType<typeof createDrain> | undefined;
  await serve(Buffer.from('ok'), (watched) => {
    drain = createDrain(watched);
  });
  socket.write(REQUEST);
  expect(String((await once(socket, 'data'))[0])).not.toMatch(/connection: close/i);
  const lingering = drain?.linger(60_000);
  socket.write(REQUEST);
  expect(String((await once(socket, 'data'))[0])).toMatch(/connection: close/i);
  await lingering;
});

it('a response at once counts as unread if the client does not read it', async () => {
  await serve(Buffer.alloc(50_000_000), (watched) => closeUnreadConnections(watched, 200));
  const closed = new Promise<void>((resolve) => {
    server.once('request', ({ socket: accepted }) => accepted.once('close', () => resolve()));
  });
  socket.pause().write(REQUEST);
  await closed;
}, 20_000);
