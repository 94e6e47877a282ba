/** Stops a server after its requests in flight have finished. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The time that requests in flight have to finish after the server begins to stop. */
const DRAIN_LIMIT_MS = 10_000;

/**
 * Tracks requests in flight and returns a function that waits for them. Node's own `close` waits forever for connections
 * that never sent a request, which browsers open in advance, and keeps idle connections open after their response.
 */
export function watchRequests(server: Server): (closing: PromiseLike<unknown>) => Promise<void> {
  const inFlight = new Map<Socket, number>();
  let draining = false;
  const change = (socket: Socket, by: 1 | -1): void => {
    const requests = (inFlight.get(socket) ?? 0) + by;
    if (inFlight.has(socket)) inFlight.set(socket, requests);
    if (draining && requests === 0) socket.end();
  };
  server.on('connection', (socket: Socket) => {
    if (draining) return void socket.destroy();
    inFlight.set(socket, 0);
    socket.once('close', () => inFlight.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    change(socket, 1);
    response.once('close', () => change(socket, -1));
  });
  return async (closing) => {
    draining = true;
    for (const [socket, requests] of inFlight) if (requests === 0) socket.destroy();
    const limit = setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT_MS);
    await closing;
    clearTimeout(limit);
  };
}
