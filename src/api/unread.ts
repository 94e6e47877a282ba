/** Closes connections whose clients do not read their response, which would otherwise stay in memory forever. */
import type { Server, ServerResponse } from 'node:http';

export function closeUnreadConnections(server: Server, limitMs: number): void {
  // Before the framework, which sends some responses at once. One function for all of them: creating one for each would take time.
  server.prependListener('request', (_request, response) => response.on('prefinish', limitReading));

  /** The whole response has been written. `writableLength` is the part that the client has not accepted yet. */
  function limitReading(this: ServerResponse): void {
    const { socket } = this;
    if (!socket || socket.writableLength === 0) return;
    const limit = setTimeout(() => socket.resetAndDestroy(), limitMs).unref();
    this.once('close', () => clearTimeout(limit));
  }
}
