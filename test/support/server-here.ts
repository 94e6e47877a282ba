/** `tillhouse serve` inside the test process, for tests of what stands beside it. A process of its own takes three times the CPU time to start. */
import { expect } from 'vitest';
import { parseArguments, SERVE_FLAGS, type ServeConfig, toServeConfig } from '../../src/base/config.js';
import { type RunningServer as Started, startServer } from '../../src/server/server.js';
import { environment, processesIn, RunningServer, type ServeOptions, usedDataDir } from './process.js';

export class ServerHere extends RunningServer {
  readonly #server: Started;

  private constructor(server: Started, dataDir: string) {
    super(server.baseUrl, dataDir);
    this.#server = server;
  }

  /** Absent `dataDir`: a new one with the demo. */
  static async start({ dataDir, args = [], env }: Pick<ServeOptions, 'dataDir' | 'args' | 'env'> = {}) {
    const folder = dataDir ?? (await usedDataDir());
    const config = readConfig(['--port', '0', '--data-dir', folder, '--log-level', 'silent', ...args], env);
    const server = await startServer(config, {
      onFailure(error) {
        throw error;
      },
    });
    return new ServerHere(server, folder);
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    expect(await processesIn(this.dataDir)).toEqual([]);
  }
}

function readConfig(args: readonly string[], env?: NodeJS.ProcessEnv): ServeConfig {
  const before = process.env;
  process.env = environment(env);
  try {
    return toServeConfig(parseArguments(args, SERVE_FLAGS).values);
  } finally {
    process.env = before;
  }
}
