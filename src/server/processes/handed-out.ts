/**
 * Closes connections that were on their way to a process when it died. `node:cluster` waits for its acknowledgement and then forgets
 * them, so their clients would wait forever.
 */
import type { Worker } from 'node:cluster';

interface Closable {
  close(): void;
}

/** The messages with which `node:cluster` hands out connections, and those that acknowledge them. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

type Send = (message: ClusterMessage, handle?: Closable, ...rest: unknown[]) => boolean;

export function closeLostConnections(worker: Worker): void {
  const underWay = new Map<number, Closable>();
  const child = worker.process as unknown as NodeJS.EventEmitter & { send: Send };
  const send = child.send.bind(child);
  child.send = (message, handle, ...rest) => {
    if (message.act === 'newconn' && message.seq !== undefined && handle) underWay.set(message.seq, handle);
    return send(message, handle, ...rest);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) underWay.delete(ack);
  });
  // Not at the exit: until the end of the channel is read, `node:cluster` still hands out connections to the process.
  child.once('close', () => {
    for (const handle of underWay.values()) handle.close();
  });
}
