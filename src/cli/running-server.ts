/** Finds the sandbox server that runs on a data folder, for commands that call its API. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realNow } from '../base/clock.js';
import {
  type CommandFlag,
  type DataDirValues,
  operatorKeyFromEnvironment,
  toDataDir,
  UsageError,
} from '../base/config.js';
import { SECRET_FILES } from '../base/secret-files.js';
import { SENDER_HEADER, type Sender } from '../base/senders.js';
import { MINUTE_MS } from '../base/time.js';
import { readDemoFile } from '../demo/demo-file.js';
import {
  callServer,
  listenToServer,
  type RawResponse,
  SandboxRefusal,
  type ServerCall,
  sendToServer,
} from '../sandbox-client.js';
import { readServerRecord } from '../server/server-file.js';

/** Calls an operation. A refusal becomes a usage error: the command was called with wrong arguments. */
type Ask = <Body>(call: Omit<ServerCall, 'url'>) => Promise<Body>;

export interface SentRequest {
  readonly method: ServerCall['method'];
  readonly path: string;
  readonly token: string;
  /** The body. */
  readonly text?: string;
}

export interface RunningSandbox {
  readonly url: string;
  operatorKey(): Promise<string>;
  /** Calls an operation of the sandbox API; `path` is relative to `/api/sandbox/`. */
  call<Body>(method: ServerCall['method'], path: string, body?: unknown): Promise<Body>;
  /** Calls any other operation, with a token for it. */
  readonly ask: Ask;
  /** Sends any request as it is, and returns the response with any status. `/api/sandbox/` gets the operator key instead of the token. */
  send(request: SentRequest): Promise<RawResponse>;
  /** Yields each time something may be new on the server, until the server ends the stream. */
  changes(): AsyncIterable<unknown>;
  readonly demoMerchantId: string | undefined;
  readonly demoToken: string | undefined;
}

/** `sender` is who the requests are from, as the server shows it. */
export async function findRunningSandbox(values: DataDirValues, sender: Sender = 'command'): Promise<RunningSandbox> {
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
  const sent = { [SENDER_HEADER]: sender };
  const ask: Ask = async (call) => {
    try {
      return await callServer({ ...call, url, headers: { ...call.headers, ...sent } });
    } catch (error) {
      throw toUsageError(error, call.path);
    }
  };
  return {
    url,
    operatorKey,
    call: async (method, path, body) => ask({ method, path: `/api/sandbox/${path}`, token: await operatorKey(), body }),
    ask,
    async send({ token, ...request }) {
      const isOperators = request.path.startsWith('/api/sandbox/');
      const headers = sent;
      try {
        return await sendToServer({ ...request, url, headers, token: isOperators ? await operatorKey() : token });
      } catch (error) {
        throw toUsageError(error, request.path);
      }
    },
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

/** For commands that act as a merchant. */
export const MERCHANT_FLAG = {
  value: 'ID',
  fallback: '',
  about: 'the merchant; default: that of the token',
} as const satisfies CommandFlag;

const TOKEN_LIFETIME_MS = 60 * MINUTE_MS;

/** The merchant of `--merchant`, with a new token for an hour, or that of `--token`. Default: the demo merchant. */
export async function chooseMerchant(
  sandbox: RunningSandbox,
  { merchant, token: given }: { readonly merchant: string; readonly token: string },
): Promise<{ readonly merchantId: string; readonly token: string }> {
  const token = merchant === '' ? given || sandbox.demoToken : undefined;
  if (token !== undefined) return { merchantId: await merchantOfToken(sandbox, token), token };
  const merchantId = merchantOf(sandbox, merchant);
  const expires_at = new Date(realNow() + TOKEN_LIFETIME_MS).toISOString();
  const path = `merchants/${encodeURIComponent(merchantId)}/tokens`;
  const created = await sandbox.call<{ access_token: string }>('POST', path, { expires_at });
  return { merchantId, token: created.access_token };
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
