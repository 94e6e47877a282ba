/** Lets a server end without cutting anybody off in the middle of a request. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long requests may take to finish once the server is told to stop. */
const DRAIN_LIMIT_MS = 10_000;

/**
 * Keeps track of requests under way, and returns how to wait for them. Node's own close waits for ever for connections
 * that never asked anything, as browsers open them, and keeps those that have had their answer.
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
