/** Limits the open connections of a server. Node's own limit makes several processes pass a connection around forever if all are full. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export function limitConnections(server: Server, max: number): void {
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (open > max) socket.destroy();
  });
}
