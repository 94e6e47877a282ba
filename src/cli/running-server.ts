/** Finds the sandbox that runs on a data folder, for commands that ask it to do something. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorKeyOfEnvironment, UsageError } from '../base/config.js';
import { readDemoFile } from '../demo/demo-file.js';
import { callServer, SandboxRefusal, type ServerCall } from '../sandbox-client.js';
import { readServerRecord } from '../server-file.js';

/** Calls an operation; what it refuses is a mistake in how the command was called. */
type Ask = <Body>(call: Omit<ServerCall, 'url'>) => Promise<Body>;

export interface RunningSandbox {
  readonly url: string;
  /** An operation of the sandbox surface, by its path behind `/api/sandbox/`. */
  call<Body>(method: ServerCall['method'], path: string, body?: unknown): Promise<Body>;
  /** Any other operation, with a token for it. */
  readonly ask: Ask;
  readonly demoMerchantId: string | undefined;
  readonly demoToken: string | undefined;
}

export async function findRunningSandbox(dataDir: string): Promise<RunningSandbox> {
  const [record, demoFile] = await Promise.all([readServerRecord(dataDir), readDemoFile(dataDir)]);
  if (!record) throw notRunning(dataDir);
  if (record.mode === 'production') {
    throw new UsageError('The server runs in production mode: it has no sandbox, no faults and no clocks that move.');
  }
  const demo = record.demo ? demoFile : undefined;
  const operatorKey = async (): Promise<string> =>
    operatorKeyOfEnvironment() ?? demo?.operator_key ?? (await keptOperatorKey(dataDir));
  const ask: Ask = async (call) => {
    try {
      return await callServer({ ...call, url: record.local_url });
    } catch (error) {
      if (error instanceof SandboxRefusal) throw new UsageError(explain(error, call.path));
      throw notRunning(dataDir);
    }
  };
  return {
    url: record.local_url,
    call: async (method, path, body) => ask({ method, path: `/api/sandbox/${path}`, token: await operatorKey(), body }),
    ask,
    demoMerchantId: demo?.merchant_id,
    demoToken: demo?.access_token,
  };
}

/** The published API's answer to a bad token is a fixed sentence, which says too little to who typed a command. */
function explain({ status, message }: SandboxRefusal, path: string): string {
  const isBadToken = status === 401 && !path.startsWith('/api/sandbox/');
  return isBadToken ? 'This server does not know the access token, or it has expired.' : message;
}

/** The merchant that a command is about: the one that is named, else the demo's. */
export function merchantOf({ demoMerchantId }: RunningSandbox, named: string): string {
  const merchantId = named || demoMerchantId;
  if (merchantId === undefined) throw new UsageError('There is no demo merchant; say --merchant ID.');
  return merchantId;
}

/** The server's sentences begin with the names of its fields; whoever typed a command knows other ones. */
export async function inWordsOf<Body>(words: Readonly<Record<string, string>>, asked: Promise<Body>): Promise<Body> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.message.replace(/^[a-z_]+(?= )/, (name) => words[name] ?? name));
  }
}

function notRunning(dataDir: string): UsageError {
  return new UsageError(describeAbsence(dataDir));
}

export function describeAbsence(dataDir: string): string {
  return `No Tillhouse server runs on ${dataDir}. Start one with: npm start, or name the folder of another with --data-dir.`;
}

/** Where a server without the demo keeps it (decision 0052). */
async function keptOperatorKey(dataDir: string): Promise<string> {
  const key = await readFile(join(dataDir, 'operator-key'), 'utf8').catch(() => '');
  if (key.trim() === '') throw new UsageError('The operator key is not known; set TILLHOUSE_OPERATOR_KEY.');
  return key.trim();
}
