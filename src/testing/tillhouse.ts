/** Starts a whole server inside the process of a test, or speaks to one that runs beside it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, type ServeConfig } from '../base/config.js';
import { newSecret } from '../base/ids.js';
import { DataFolderInUse } from '../database/embedded/embedded.js';
import { schemaFingerprint } from '../database/migrate.js';
import { callSandbox, type SandboxServer } from '../sandbox-client.js';
import { type RunningServer, startServer } from '../server.js';
import { type FaultControls, faultControls } from './faults.js';
import { createMerchant, type NewTestMerchant, type TestMerchant } from './merchants.js';
import type { WebhookInbox } from './webhooks.js';

export interface StartOptions {
  /**
   * Where the embedded PostgreSQL is kept from run to run, so that only the first start has to make it. Absent: a folder
   * of the user's cache, another one for each server that runs at the same time.
   */
  readonly dataDir?: string;
  /** A PostgreSQL server of your own, 15 or newer, instead of the embedded one. */
  readonly databaseUrl?: string;
  /** Absent: any free one. */
  readonly port?: number;
  /** Requests a second for each access token; absent: any number. */
  readonly rateLimit?: number;
  /** `gone` answers 410 to the ten deprecated operations. */
  readonly retired?: 'serve' | 'gone';
  /** To standard error, as lines of JSON; silent where not said. At `info` there is one for each request and fault. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

export interface Tillhouse {
  /** The base address for clients. */
  readonly url: string;
  /** Opens the sandbox surface. */
  readonly operatorKey: string;
  /** A business alone in its world, with locations and an access token; costs a few milliseconds. */
  createMerchant(merchant?: NewTestMerchant): Promise<TestMerchant>;
  /** Faults that befall everybody's requests and webhooks; listing and clearing are about those of single merchants too. */
  readonly faults: FaultControls;
  /** Any other operation of the sandbox surface, by its path behind `/api/sandbox/`; a refusal is thrown. */
  sandbox<Body = unknown>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Body>;
  /** Ends the server, its PostgreSQL and what catches webhooks; what was stored stays for the next start. */
  stop(): Promise<void>;
}

/** Starts a sandbox without the demo in this process. */
export async function startTillhouse(options: StartOptions = {}): Promise<Tillhouse> {
  const operatorKey = newSecret('opk_', 48);
  const server = await startOnAFolder(options, operatorKey);
  return controls({ url: server.baseUrl, operatorKey }, () => server.stop());
}

/** Speaks to a sandbox that runs already, started by `tillhouse serve`; stopping it is left to whoever started it. */
export function connectTillhouse(server: { readonly url: string; readonly operatorKey: string }): Tillhouse {
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

/** More servers at once than any machine runs tests in. */
const MOST_FOLDERS = 64;

/**
 * One PostgreSQL serves one server, and test files run side by side: each server takes the first folder that is free. Projects
 * on one machine may use different versions, so each schema has folders of its own (decision 0082).
 */
async function startOnAFolder(options: StartOptions, operatorKey: string): Promise<RunningServer> {
  if (options.dataDir !== undefined) return start(options, options.dataDir, operatorKey);
  const home = join(cacheFolder(), 'tillhouse', 'testing');
  const schema = await schemaFingerprint();
  await mkdir(join(home, schema), { recursive: true });
  if (options.databaseUrl !== undefined) return start(options, join(home, 'external'), operatorKey);
  for (let number = 1; ; number++) {
    try {
      return await start(options, join(home, schema, String(number)), operatorKey);
    } catch (error) {
      if (!(error instanceof DataFolderInUse) || number === MOST_FOLDERS) throw error;
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
      throw error; // the tests cannot go on
    },
  });
}
