/** Starts a sandbox in this process, on a data folder that no other process uses. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, type ServeConfig } from '../base/config.js';
import { newSecret } from '../base/ids.js';
import { DataFolderInUse } from '../database/embedded/embedded.js';
import { schemaFingerprint } from '../database/migrations.js';
import { type RunningServer, startServer } from '../server/server.js';
import { checkOptions, type Known } from './options.js';
import { stubControls } from './stubs.js';

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
  /** Refuses fields and parameters that an operation does not have, instead of ignoring them. */
  readonly strict?: boolean;
  /** A folder with stubs, as files of JSON; default: none. */
  readonly stubs?: string;
  /** Logs to standard error, as lines of JSON; default: silent. At `info` each request and each fault is logged. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

const START_OPTIONS: Known<StartOptions> = {
  dataDir: true,
  databaseUrl: true,
  port: true,
  rateLimit: true,
  retired: true,
  strict: true,
  stubs: true,
  logLevel: true,
};

/** A sandbox that runs in this process. */
export interface OwnSandbox {
  readonly url: string;
  readonly operatorKey: string;
  /** Commands find the server by it. */
  readonly dataDir: string;
  stop(): Promise<void>;
}

type OnFailure = (error: Error) => void;

/** `onFailure` is called if the server cannot go on. */
export async function startSandbox(options: StartOptions, onFailure: OnFailure): Promise<OwnSandbox> {
  checkOptions('startTillhouse', options, START_OPTIONS);
  const operatorKey = newSecret('opk_', 48);
  const startOn = async (dataDir: string): Promise<OwnSandbox> => {
    const server = await start(options, { dataDir, operatorKey, onFailure });
    // A folder is kept between runs. What an earlier run has left must not answer requests of this one.
    if (options.databaseUrl === undefined) await stubControls({ url: server.baseUrl, operatorKey }).reset();
    return { url: server.baseUrl, operatorKey, dataDir, stop: () => server.stop() };
  };
  if (options.dataDir !== undefined) return startOn(options.dataDir);
  return startOnFreeFolder(options, startOn);
}

/** More servers than run at the same time on one machine. */
const MAX_FOLDERS = 64;

/**
 * Each server needs its own PostgreSQL, and test files run in parallel: each server uses the first free folder. Projects on one
 * machine may use different versions, so each schema has its own folders (decision 0082).
 */
async function startOnFreeFolder(
  options: StartOptions,
  startOn: (dataDir: string) => Promise<OwnSandbox>,
): Promise<OwnSandbox> {
  const home = join(cacheFolder(), 'tillhouse', 'testing');
  const schema = await schemaFingerprint();
  await mkdir(join(home, schema), { recursive: true });
  if (options.databaseUrl !== undefined) return startOn(join(home, 'external'));
  for (let number = 1; ; number++) {
    try {
      return await startOn(join(home, schema, String(number)));
    } catch (error) {
      if (!(error instanceof DataFolderInUse) || number === MAX_FOLDERS) throw error;
    }
  }
}

interface Place {
  readonly dataDir: string;
  readonly operatorKey: string;
  readonly onFailure: OnFailure;
}

function start(options: StartOptions, { dataDir, operatorKey, onFailure }: Place): Promise<RunningServer> {
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
    strict: options.strict,
    stubs: options.stubs,
    logLevel: options.logLevel ?? 'silent',
    rateLimit: options.rateLimit,
    operatorKey,
    accountKey: undefined,
  };
  return startServer(config, { onFailure });
}
