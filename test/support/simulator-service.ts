/** The built-in processor over HTTP, for servers in child processes. It can be silent. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { simulator } from '../../src/processor/simulator.js';
import { LocalServer } from './local-server.js';

type Action = 'authorize' | 'capture' | 'void' | 'refund';

export class SimulatorService extends LocalServer {
  /** It has no response to what arrives. */
  isSilent = false;
  /** How many calls had no response. */
  unheard = 0;
  readonly #answers = new Map<string, unknown>();

  static start(): Promise<SimulatorService> {
    return new SimulatorService().listen();
  }

  /** A retry with the same key gets the first response. */
  protected override async answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    if (this.isSilent) return void this.unheard++;
    const action = (incoming.url ?? '').slice(1) as Action;
    const request = JSON.parse(Buffer.concat(chunks).toString());
    const key = `${action} ${request.key}`;
    if (!this.#answers.has(key)) this.#answers.set(key, await simulator[action](request));
    outgoing.end(JSON.stringify({ answer: this.#answers.get(key) }));
  }
}
