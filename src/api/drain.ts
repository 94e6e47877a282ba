/** Stops a server after its requests in flight have finished. */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** The time that requests in flight have to finish after the server begins to stop. */
const DRAIN_LIMIT_MS = 10_000;

export interface Drain {
  /** Closes idle connections, and waits for requests in flight. */
  finish(close: () => PromiseLike<unknown>): Promise<void>;
  /**
   * Accepts no further connections, and answers on the open ones until they are closed: each response asks the client to close its
   * connection. A client that is silent for the whole time is disconnected by `finish`.
   */
  linger(milliseconds: number): Promise<void>;
}

/**
 * Tracks requests in flight. Node's own `close` waits forever for connections that never sent a request, which browsers open in advance,
 * and keeps idle connections open after their response.
 */
export function createDrain(server: Server): Drain {
  const inFlight = new Map<Socket, Set<ServerResponse>>();
  let isLingering = false;
  let isFinishing = false;
  let onEmpty = (): void => {};
  const isOver = (): boolean => isLingering || isFinishing;
  server.on('connection', (socket: Socket) => {
    if (isFinishing) return void socket.destroy();
    inFlight.set(socket, new Set());
    socket.once('close', () => {
      inFlight.delete(socket);
      if (inFlight.size === 0) onEmpty();
    });
  });
  // Before the framework, which sends some responses at once.
  server.prependListener('request', ({ socket }, response) => {
    inFlight.get(socket)?.add(response);
    if (isOver()) askToClose(response);
    response.on('close', forget);
  });
  /** The same function for all responses: one for each would cost every request time. */
  function forget(this: ServerResponse): void {
    const { socket } = this.req;
    const responses = inFlight.get(socket);
    responses?.delete(this);
    if (isOver() && responses?.size === 0) socket.end();
  }
  const askAll = (): void => {
    for (const responses of inFlight.values()) for (const response of responses) askToClose(response);
  };
  return {
    async linger(milliseconds) {
      isLingering = true;
      // Not the `close` of the HTTP server, which also closes idle connections.
      NetServer.prototype.close.call(server);
      askAll();
      if (inFlight.size === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    async finish(close) {
      isFinishing = true;
      askAll();
      for (const [socket, responses] of inFlight) if (responses.size === 0) socket.destroy();
      const limit = setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT_MS);
      await Promise.resolve(close()).catch((error: Error & { code?: string }) => {
        if (error.code !== 'ERR_SERVER_NOT_RUNNING') throw error; // it does not listen any more
      });
      await untilEmpty();
      clearTimeout(limit);
    },
  };

  /** After `linger`, closing the server does not wait for its connections. */
  function untilEmpty(): Promise<void> {
    if (inFlight.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      onEmpty = resolve;
    });
  }
}

/** Otherwise the client could send the next request at the moment when its connection is closed. */
function askToClose(response: ServerResponse): void {
  if (!response.headersSent) response.shouldKeepAlive = false;
}
