/** Ends connections whose clients do not read what they asked for: an answer that nobody takes would wait for ever. */
import type { Server } from 'node:http';

export function endUnread(server: Server, limitMs: number): void {
  server.on('request', ({ socket }, response) => {
    // All of the answer is handed over; what the client's side has no room for waits here.
    response.once('prefinish', () => {
      if (socket.writableLength === 0) return;
      const limit = setTimeout(() => socket.resetAndDestroy(), limitMs).unref();
      response.once('close', () => clearTimeout(limit));
    });
  });
}
