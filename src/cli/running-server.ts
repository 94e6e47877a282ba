/** Finds the sandbox server that runs on a data folder, for commands that call its API. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataDirValues, operatorKeyFromEnvironment, toDataDir, UsageError } from '../base/config.js';
import { SECRET_FILES } from '../base/secret-files.js';
import { readDemoFile } from '../demo/demo-file.js';
import { callServer, listenToServer, SandboxRefusal, type ServerCall } from '../sandbox-client.js';
import { readServerRecord } from '../server/server-file.js';

/** Calls an operation. A refusal becomes a usage error: the command was called with wrong arguments. */
type Ask = <Body>(call: Omit<ServerCall, 'url'>) => Promise<Body>;

export interface RunningSandbox {
  readonly url: string;
  /** Calls an operation of the sandbox API; `path` is relative to `/api/sandbox/`. */
  call<Body>(method: ServerCall['method'], path: string, body?: unknown): Promise<Body>;
  /** Calls any other operation, with a token for it. */
  readonly ask: Ask;
  /** Yields each time something may be new on the server, until the server ends the stream. */
  changes(): AsyncIterable<unknown>;
  readonly demoMerchantId: string | undefined;
  readonly demoToken: string | undefined;
}

export async function findRunningSandbox(values: DataDirValues): Promise<RunningSandbox> {
  const dataDir = toDataDir(values);
  const [record, demoFile] = await Promise.all([readServerRecord(dataDir), readDemoFile(dataDir)]);
  if (!record) throw notRunning(dataDir);
  if (record.mode === 'production') {
    throw new UsageError('The server runs in production mode: it has no sandbox API, no faults and no movable clocks.');
  }
  const demo = record.demo ? demoFile : undefined;
  const operatorKey = async (): Promise<string> =>
    operatorKeyFromEnvironment() ?? demo?.operator_key ?? (await readOperatorKey(dataDir));
  const url = record.local_url;
  const toUsageError = (error: unknown, path: string): UsageError =>
    error instanceof SandboxRefusal ? new UsageError(explain(error, path)) : notRunning(dataDir);
  const ask: Ask = async (call) => {
    try {
      return await callServer({ ...call, url });
    } catch (error) {
      throw toUsageError(error, call.path);
    }
  };
  return {
    url,
    call: async (method, path, body) => ask({ method, path: `/api/sandbox/${path}`, token: await operatorKey(), body }),
    ask,
    async *changes() {
      const path = '/api/sandbox/changes';
      try {
        yield* listenToServer({ url, method: 'GET', path, token: await operatorKey() });
      } catch (error) {
        throw toUsageError(error, path);
      }
    },
    demoMerchantId: demo?.merchant_id,
    demoToken: demo?.access_token,
  };
}

/** The published API has a fixed error text for a bad token, which is too vague for a command line. */
function explain({ status, message }: SandboxRefusal, path: string): string {
  const isBadToken = status === 401 && !path.startsWith('/api/sandbox/');
  return isBadToken ? 'This server does not know the access token, or it has expired.' : message;
}

/** Defaults to the demo merchant. */
export function merchantOf({ demoMerchantId }: RunningSandbox, flag: string): string {
  const merchantId = flag || demoMerchantId;
  if (merchantId === undefined) throw new UsageError('--merchant is required: there is no demo merchant.');
  return merchantId;
}

export async function merchantOfToken({ ask }: RunningSandbox, token: string): Promise<string> {
  const status = { method: 'POST', path: '/oauth2/token/status', token } as const;
  return (await ask<{ merchant_id: string }>(status)).merchant_id;
}

/** Error details of the server begin with the name of a request field; this replaces it with the name of the flag. */
export async function renameFieldsInError<Body>(
  names: Readonly<Record<string, string>>,
  response: Promise<Body>,
): Promise<Body> {
  try {
    return await response;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.message.replace(/^[a-z_]+(?= )/, (name) => names[name] ?? name));
  }
}

function notRunning(dataDir: string): UsageError {
  return new UsageError(describeNotRunning(dataDir));
}

export function describeNotRunning(dataDir: string): string {
  return `No Tillhouse server runs on ${dataDir}. Start one with npm start, or use --data-dir to name the folder of another.`;
}

/** A server without the demo business stores the operator key in a file (decision 0052). */
async function readOperatorKey(dataDir: string): Promise<string> {
  const key = await readFile(join(dataDir, SECRET_FILES.operatorKey), 'utf8').catch(() => '');
  if (key.trim() === '') throw new UsageError('The operator key is unknown. Set TILLHOUSE_OPERATOR_KEY.');
  return key.trim();
}
