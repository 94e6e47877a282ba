/** Closes connections whose clients do not read their response, which would otherwise stay in memory forever. */
import type { Server } from 'node:http';

export function closeUnreadConnections(server: Server, limitMs: number): void {
  server.on('request', ({ socket }, response) => {
    // The whole response has been written. `writableLength` is the part that the client has not accepted yet.
    response.once('prefinish', () => {
      if (socket.writableLength === 0) return;
      const limit = setTimeout(() => socket.resetAndDestroy(), limitMs).unref();
      response.once('close', () => clearTimeout(limit));
    });
  });
}
