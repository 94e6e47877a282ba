/** An HTTP server of a test, on a free port of loopback. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export abstract class LocalServer {
  readonly #server = createServer((incoming, outgoing) => void this.answer(incoming, outgoing));

  protected abstract answer(incoming: IncomingMessage, outgoing: ServerResponse): void | Promise<void>;

  protected async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
