/** Starts a sandbox in this process, on a database that no other process uses. */
import { join } from 'node:path';
import { cacheFolder, type ServeConfig } from '../base/config.js';
import { newSecret } from '../base/ids.js';
import { schemaFingerprint } from '../database/migrations.js';
import { leaseDatabase } from '../database/shared/lease.js';
import { startServer } from '../server/server.js';
import type { StartOptions } from './start-options.js';
import { stubControls } from './stubs.js';

/** A running sandbox. */
export interface Sandbox {
  readonly url: string;
  readonly operatorKey: string;
  /** Commands find the server by it. */
  readonly dataDir: string;
}

/** A sandbox that runs in this process. */
export interface OwnSandbox extends Sandbox {
  stop(): Promise<void>;
}

type OnFailure = (error: Error) => void;

/** `onFailure` is called if the server cannot go on. */
export async function startSandbox(options: StartOptions, onFailure: OnFailure): Promise<OwnSandbox> {
  const operatorKey = newSecret('opk_', 48);
  import('../server/serve.js').catch(() => {}); // while the database is prepared; it is loaded again where its errors matter
  const { dataDir, databaseUrl, release } = await findPlace(options);
  try {
    const config = toConfig(options, { dataDir, databaseUrl, operatorKey });
    const server = await startServer(config, { onFailure });
    const sandbox = { url: server.baseUrl, operatorKey, dataDir };
    // What an earlier run has left must not answer requests of this one.
    if (databaseUrl === undefined) await stubControls(sandbox).reset();
    return {
      ...sandbox,
      async stop() {
        await server.stop();
        await release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

interface Place {
  /** For files of the server, and for the database unless it has a URL. */
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  release(): Promise<void>;
}

/**
 * Test files run in parallel, and each server needs a database of its own: a copy in the PostgreSQL that all servers of this user share.
 * Projects on one machine may use different versions, so each schema has its own PostgreSQL (decision 0269).
 */
async function findPlace({ dataDir, databaseUrl }: StartOptions): Promise<Place> {
  const release = async (): Promise<void> => {};
  if (dataDir !== undefined) return { dataDir, databaseUrl, release };
  const home = join(cacheFolder(), 'tillhouse', 'testing');
  if (databaseUrl !== undefined) return { dataDir: join(home, 'external'), databaseUrl, release };
  const leased = await leaseDatabase(join(home, await schemaFingerprint(), 'shared'));
  return { dataDir: leased.folder, databaseUrl: leased.url, release: () => leased.release() };
}

function toConfig(
  options: StartOptions,
  place: Pick<ServeConfig, 'dataDir' | 'databaseUrl' | 'operatorKey'>,
): ServeConfig {
  return {
    ...place,
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
    accountKey: undefined,
  };
}
