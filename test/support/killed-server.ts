/** A server in a child process, which a test can kill. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findJoinedServer } from './built.js';
import { type ApiResponse, callApi } from './http.js';
import type { Json } from './payments.js';
import { ACCOUNT_KEY, OPERATOR_KEY } from './server.js';

const FIXTURE = fileURLToPath(new URL('../crash/server-process.mjs', import.meta.url));

export type Place = 'before the call' | 'after the call';

interface Options {
  /** A processor over HTTP. Absent: the simulator. */
  readonly processorUrl?: string | undefined;
  /** Default: a free one. */
  readonly port?: number;
  /** With the server's keys. Default: a new folder. */
  readonly dataDir?: string;
}

type Settings = Options & { readonly databaseUrl: string; readonly dataDir: string };

export class ServerProcess {
  readonly arrivals: string[] = [];
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #settings: Settings;
  baseUrl = '';

  private constructor(child: ChildProcess, settings: Settings) {
    this.#child = child;
    this.#exited = once(child, 'exit');
    this.#settings = settings;
  }

  static async start(databaseUrl: string, options: Options = {}): Promise<ServerProcess> {
    const { processorUrl, port = 0 } = options;
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'tillhouse-kill-')));
    const config = {
      databaseUrl,
      dataDir,
      port,
      host: '127.0.0.1',
      demoBeyondLoopback: false,
      mode: 'sandbox',
      retired: 'serve',
      logLevel: 'error',
      operatorKey: OPERATOR_KEY,
      accountKey: ACCOUNT_KEY,
    };
    const built = await findJoinedServer();
    const child = fork(FIXTURE, [built, JSON.stringify({ config, processorUrl })], { execArgv: [] });
    const server = new ServerProcess(child, { ...options, databaseUrl, dataDir });
    const [message] = await Promise.race([
      once(child, 'message') as Promise<[{ baseUrl: string }]>,
      server.#exited.then(() => Promise.reject(new Error('the server did not start'))),
    ]);
    server.baseUrl = message.baseUrl;
    child.on('message', (said: { arrived?: string }) => {
      if (said.arrived !== undefined) server.arrivals.push(said.arrived);
    });
    return server;
  }

  /** From here on every call to the processor stops at this point. */
  async haltAt(place: Place): Promise<void> {
    const confirmed = once(this.#child, 'message');
    this.#child.send({ haltAt: place });
    await confirmed;
  }

  /** Like a crash: its folder stays. */
  async crash(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** After a crash, at the same address and with the same folder. */
  startAgain(): Promise<ServerProcess> {
    const { databaseUrl, ...options } = this.#settings;
    return ServerProcess.start(databaseUrl, { ...options, port: Number(new URL(this.baseUrl).port) });
  }

  async kill(): Promise<void> {
    await this.crash();
    await rm(this.#settings.dataDir, { recursive: true, force: true });
  }

  call(method: string, path: string, token: string, body?: unknown): Promise<ApiResponse> {
    return callApi(this.baseUrl, method, path, { token, body });
  }

  async openMerchant(clock: Json = {}): Promise<{ id: string; token: string }> {
    const { body } = await this.call('POST', '/api/sandbox/merchants', OPERATOR_KEY, { clock });
    return { id: body.merchant.id, token: body.access_token };
  }
}
