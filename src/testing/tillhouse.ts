/** Starts a server in the test process, or connects to a running one. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, type ServeConfig } from '../base/config.js';
import { newSecret } from '../base/ids.js';
import { DataFolderInUse } from '../database/embedded/embedded.js';
import { schemaFingerprint } from '../database/migrations.js';
import { callSandbox, type SandboxServer } from '../sandbox-client.js';
import { type RunningServer, startServer } from '../server/server.js';
import { type FaultControls, faultControls } from './faults.js';
import { createMerchant, type NewTestMerchant, type TestMerchant } from './merchants.js';
import { checkOptions, type Known } from './options.js';
import type { WebhookInbox } from './webhooks.js';

export interface StartOptions {
  /**
   * The folder of the embedded PostgreSQL. It is kept between runs, so that only the first start has to create it. Default: a
   * folder in the user's cache, a different one for each server that runs at the same time.
   */
  readonly dataDir?: string;
  /** An existing PostgreSQL server, 15 or newer, instead of the embedded one. */
  readonly databaseUrl?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Requests per second and access token; default: no limit. */
  readonly rateLimit?: number;
  /** With `gone`, the ten deprecated operations return 410. */
  readonly retired?: 'serve' | 'gone';
  /** Logs to standard error, as lines of JSON; default: silent. At `info` each request and each fault is logged. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

export interface Tillhouse {
  /** The base URL for clients. */
  readonly url: string;
  /** The credential for the sandbox surface. */
  readonly operatorKey: string;
  /** Creates an isolated merchant with locations and an access token; takes a few milliseconds. */
  createMerchant(merchant?: NewTestMerchant): Promise<TestMerchant>;
  /** Faults in requests and webhooks of all merchants. `list` and `clear` include the faults of single merchants. */
  readonly faults: FaultControls;
  /** Calls any other operation of the sandbox surface; `path` is relative to `/api/sandbox/`. Throws a refusal. */
  sandbox<Body = unknown>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Body>;
  /** Stops the server, its PostgreSQL and the webhook receivers. The data folder is kept for the next start. */
  stop(): Promise<void>;
}

const START_OPTIONS: Known<StartOptions> = {
  dataDir: true,
  databaseUrl: true,
  port: true,
  rateLimit: true,
  retired: true,
  logLevel: true,
};

/** Starts a sandbox without the demo business in this process. */
export async function startTillhouse(options: StartOptions = {}): Promise<Tillhouse> {
  checkOptions('startTillhouse', options, START_OPTIONS);
  const operatorKey = newSecret('opk_', 48);
  const server = await startOnFreeFolder(options, operatorKey);
  return controls({ url: server.baseUrl, operatorKey }, () => server.stop());
}

/** Connects to a running sandbox, started by `tillhouse serve`. `stop()` does not stop that server. */
export function connectTillhouse(server: { readonly url: string; readonly operatorKey: string }): Tillhouse {
  checkOptions('connectTillhouse', server, { url: true, operatorKey: true });
  return controls({ ...server, url: server.url.replace(/\/+$/, '') }, async () => {});
}

function controls(server: SandboxServer, stop: () => Promise<void>): Tillhouse {
  const inboxes = new Set<WebhookInbox>();
  const keep = (inbox: WebhookInbox): WebhookInbox => {
    inboxes.add(inbox);
    return inbox;
  };
  return {
    ...server,
    createMerchant: (merchant = {}) => createMerchant(server, merchant, keep),
    faults: faultControls(server),
    sandbox: (method, path, body) => callSandbox(server, method, path, body),
    async stop() {
      await Promise.all([...inboxes].map((inbox) => inbox.close()));
      inboxes.clear();
      await stop();
    },
  };
}

/** More servers than run at the same time on one machine. */
const MAX_FOLDERS = 64;

/**
 * Each server needs its own PostgreSQL, and test files run in parallel: each server uses the first free folder. Projects on one
 * machine may use different versions, so each schema has its own folders (decision 0082).
 */
async function startOnFreeFolder(options: StartOptions, operatorKey: string): Promise<RunningServer> {
  if (options.dataDir !== undefined) return start(options, options.dataDir, operatorKey);
  const home = join(cacheFolder(), 'tillhouse', 'testing');
  const schema = await schemaFingerprint();
  await mkdir(join(home, schema), { recursive: true });
  if (options.databaseUrl !== undefined) return start(options, join(home, 'external'), operatorKey);
  for (let number = 1; ; number++) {
    try {
      return await start(options, join(home, schema, String(number)), operatorKey);
    } catch (error) {
      if (!(error instanceof DataFolderInUse) || number === MAX_FOLDERS) throw error;
    }
  }
}

function start(options: StartOptions, dataDir: string, operatorKey: string): Promise<RunningServer> {
  const config: ServeConfig = {
    databaseUrl: options.databaseUrl,
    dataDir,
    port: options.port ?? 0,
    host: '127.0.0.1',
    demo: false,
    demoHistory: false,
    demoBeyondLoopback: false,
    mode: 'sandbox',
    retired: options.retired ?? 'serve',
    publicUrl: undefined,
    logLevel: options.logLevel ?? 'silent',
    rateLimit: options.rateLimit,
    operatorKey,
    accountKey: undefined,
  };
  return startServer(config, {
    onFailure(error) {
      throw error; // the tests cannot continue
    },
  });
}
