/** One server for several scenarios: what one of them prepares or measures, the others use. */
import { startServer } from './processes.mjs';

export class Stage {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  server;
  #wanted;
  #done = new Map();

  constructor(server, wanted) {
    this.server = server;
    this.#wanted = wanted;
  }

  static async open(wanted) {
    return new Stage(await startServer(), wanted);
  }

  /** Whether the scenario is measured in this run. */
  wants(name) {
    return this.#wanted.includes(name);
  }

  /** Does the work at the first call only. */
  once(work) {
    if (!this.#done.has(work))
      this.#done.set(
        work,
        timed(work.name, () => work(this)),
      );
    return this.#done.get(work);
  }

  close() {
    return this.server.stop();
  }
}

async function timed(name, work) {
  const since = performance.now();
  const result = await work();
  console.log(`  ${name}: ${((performance.now() - since) / 1000).toFixed(1)} s`);
  return result;
}
