/** Two servers on one database that are replaced one after the other, as an operator does to change a setting without a refused request. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pollUntil } from './clock.js';
import { ensureDefined } from './people.js';
import { startTestServer, type TestServer, type TestServerOptions } from './server.js';

export class RollingServers {
  readonly #servers: TestServer[];
  #asked = 0;
  #isDone = false;

  private constructor(servers: TestServer[]) {
    this.#servers = servers;
  }

  static async start(options: TestServerOptions): Promise<RollingServers> {
    return new RollingServers([await startTestServer(options), await startTestServer(options)]);
  }

  get first(): TestServer {
    return ensureDefined(this.#servers[0]);
  }

  /** Asks both servers all the time until `work` is done, and at least once after it. Rejects if `ask` does. */
  async under(ask: (server: TestServer) => Promise<void>, work: () => Promise<void>): Promise<void> {
    this.#isDone = false;
    const keepAsking = async (index: number): Promise<void> => {
      for (let isLast = false; !isLast; ) {
        isLast = this.#isDone;
        await ask(ensureDefined(this.#servers[index]));
        this.#asked++;
      }
    };
    const asking = Promise.all([keepAsking(0), keepAsking(1)]);
    asking.catch(() => {}); // reported below
    await work().finally(() => {
      this.#isDone = true;
    });
    await asking;
  }

  /** Starts each successor before it stops the server. Requests reach each state of the two. */
  async replaceAll(options: TestServerOptions): Promise<void> {
    for (const [index, before] of [...this.#servers.entries()]) {
      this.#servers[index] = await startTestServer(options);
      const asked = this.#asked;
      await pollUntil(
        async () => this.#asked,
        (count) => count >= asked + 4,
        30_000,
      );
      await sleep(100); // nobody begins another request to it
      await before.stop();
    }
  }

  /** Like `replaceAll`, while nobody asks. */
  async replaceAllIdle(options: TestServerOptions): Promise<void> {
    for (const [index, before] of [...this.#servers.entries()]) {
      await before.stop();
      this.#servers[index] = await startTestServer(options);
    }
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) await server.stop();
  }
}
