/** Finds the sandbox that runs on a data folder, for commands that ask it to do something. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorKeyOfEnvironment, UsageError } from '../base/config.js';
import { readDemoFile } from '../sandbox/demo-file.js';
import { callSandbox, SandboxRefusal, type SandboxServer } from '../sandbox-client.js';
import { readServerRecord } from '../server-file.js';

export interface RunningSandbox {
  /** Calls an operation of the sandbox surface; what it refuses is a mistake in how the command was called. */
  call<Body>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Body>;
  readonly demoMerchantId: string | undefined;
}

export async function findRunningSandbox(dataDir: string): Promise<RunningSandbox> {
  const [record, demoFile] = await Promise.all([readServerRecord(dataDir), readDemoFile(dataDir)]);
  if (!record) throw notRunning(dataDir);
  if (record.mode === 'production') {
    throw new UsageError('The server runs in production mode: its clocks cannot be moved and it has no faults.');
  }
  const demo = record.demo ? demoFile : undefined;
  const server: SandboxServer = {
    url: record.local_url,
    operatorKey: operatorKeyOfEnvironment() ?? demo?.operator_key ?? (await keptOperatorKey(dataDir)),
  };
  return {
    async call(method, path, body) {
      try {
        return await callSandbox(server, method, path, body);
      } catch (error) {
        if (error instanceof SandboxRefusal) throw new UsageError(error.message);
        throw notRunning(dataDir);
      }
    },
    demoMerchantId: demo?.merchant_id,
  };
}

function notRunning(dataDir: string): UsageError {
  return new UsageError(`No Tillhouse server runs on ${dataDir}. Start one with: npm start`);
}

/** Where a server without the demo keeps it (decision 0052). */
async function keptOperatorKey(dataDir: string): Promise<string> {
  const key = await readFile(join(dataDir, 'operator-key'), 'utf8').catch(() => '');
  if (key.trim() === '') throw new UsageError('The operator key is not known; set TILLHOUSE_OPERATOR_KEY.');
  return key.trim();
}
