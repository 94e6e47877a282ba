/** Starts a server for the test process, or connects to a running one. */
import { callSandbox, type SandboxServer } from '../sandbox-client.js';
import { type FaultControls, faultControls } from './faults.js';
import { createMerchant, type NewTestMerchant, type TestMerchant } from './merchants.js';
import { checkOptions } from './options.js';
import { ServerProcess } from './server-process.js';
import { START_OPTIONS, type StartOptions } from './start-options.js';
import { type StubControls, stubControls } from './stubs.js';
import type { WebhookInbox } from './webhooks.js';

export interface Tillhouse {
  /** The base URL for clients. */
  readonly url: string;
  /** The credential for the sandbox surface. */
  readonly operatorKey: string;
  /** Creates an isolated merchant with locations and an access token; takes a few milliseconds. */
  createMerchant(merchant?: NewTestMerchant): Promise<TestMerchant>;
  /** Faults in requests and webhooks of all merchants. `list` and `clear` include the faults of single merchants. */
  readonly faults: FaultControls;
  /** Stubs that answer requests of all merchants, and those without one. `list` and `reset` include the stubs of single merchants. */
  readonly stubs: StubControls;
  /** Calls any other operation of the sandbox surface; `path` is relative to `/api/sandbox/`. Throws a refusal. */
  sandbox<Body = unknown>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Body>;
  /** Stops the server and the webhook receivers, and removes the database. A folder that `dataDir` names is kept for the next start. */
  stop(): Promise<void>;
}

/** A server that starts. */
export interface StartingTillhouse extends Promise<Tillhouse> {
  /** Stops it, whether or not it has started. */
  stop(): Promise<void>;
}

/** Starts a sandbox without the demo business. It ends with this process, if not before. */
export function startTillhouse(options: StartOptions = {}): StartingTillhouse {
  let server: ServerProcess | undefined;
  let running: Tillhouse | undefined;
  const start = async (): Promise<Tillhouse> => {
    checkOptions('startTillhouse', options, START_OPTIONS);
    const own = new ServerProcess(options);
    server = own;
    const { url, operatorKey } = await own.started;
    running = controls({ url, operatorKey }, () => own.stop());
    return running;
  };
  const starting = start();
  starting.catch(() => {}); // a hook that has run into its time limit no longer waits for it
  return Object.assign(starting, { stop: async () => (running ?? server)?.stop() });
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
    stubs: stubControls(server),
    sandbox: (method, path, body) => callSandbox(server, method, path, body),
    async stop() {
      await Promise.all([...inboxes].map((inbox) => inbox.close()));
      inboxes.clear();
      await stop();
    },
  };
}
