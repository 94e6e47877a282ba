/** A complete server on its own database and a free port, for tests over HTTP. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import type { ServeConfig } from '../../src/base/config.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { type ServerOptions, startServer } from '../../src/server/server.js';
import { type ApiResponse, type CallOptions, callApi } from './http.js';
import { isLong } from './long.js';
import { dropDatabase, inDatabase } from './run-databases.mjs';

export const OPERATOR_KEY = 'operator-key-of-the-tests';
export const ACCOUNT_KEY = 'account-key-of-the-tests';

/** Whether the tests run on a cluster. */
export const isCluster = inject('nodeUrls').length > 1;

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

let admins: readonly Database[] | undefined;

/** Creates and drops databases on every node, on one connection for all files of a worker. They are closed when the worker ends. */
function administration(): readonly Database[] {
  admins ??= inject('nodeUrls').map((url) => openDatabase(url, { maxConnections: 1, hasLongTimeouts: true }));
  return admins;
}

/** A copy of the template, on every node. An empty database is only on the first one. */
export async function cloneDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const nodes = administration().slice(0, empty ? 1 : undefined);
  const name = `${inject('databasePrefix')}${randomUUID().replaceAll('-', '')}`;
  // FILE_COPY takes a third of the time of the default strategy, which writes everything that it copies to the WAL.
  const source = empty ? '' : `template ${inject('templateDatabase')} strategy file_copy`;
  await Promise.all(nodes.map(({ sql }) => sql.unsafe(`create database ${name} ${source}`)));
  return {
    url: inDatabase(inject('postgresUrl'), name),
    async drop() {
      await Promise.all(nodes.map(({ sql }) => dropDatabase(sql, name)));
    },
  };
}

export interface TestMerchant {
  readonly id: string;
  readonly token: string;
  readonly locationIds: readonly string[];
}

export interface TestServer {
  readonly baseUrl: string;
  /** The same database, for direct queries. */
  readonly database: Database;
  readonly databaseUrl: string;
  /** Where metrics are served, if `config.metrics` is set. */
  readonly metricsUrl: string | undefined;
  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse>;
  operator(method: string, path: string, body?: unknown): Promise<ApiResponse>;
  createMerchant(body?: Record<string, unknown>): Promise<TestMerchant>;
  createToken(merchantId: string, permissions: readonly string[]): Promise<string>;
  /** Stops only the server. Its database can still be read. */
  stopServer(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestServerOptions {
  readonly config?: Partial<ServeConfig>;
  /** The database of another server. Absent: a new one. */
  readonly databaseUrl?: string;
  /** The payment processor. Absent: the simulator. */
  readonly processor?: ServerOptions['processor'];
  readonly processorTimeLimitMs?: number;
  readonly adapterLimits?: ServerOptions['adapterLimits'];
  readonly stripeLimits?: ServerOptions['stripeLimits'];
  readonly onStatement?: ServerOptions['onStatement'];
  readonly onNotice?: ServerOptions['onNotice'];
  readonly dueWork?: ServerOptions['dueWork'];
  readonly guards?: ServerOptions['guards'];
  readonly headersTimeoutMs?: number;
  readonly readTimeoutMs?: number;
  readonly requestLog?: ServerOptions['requestLog'];
}

/** So that tests need not wait for what they change without the server. */
const LOOK_OFTEN = { lookIntervalMs: isCluster ? 500 : 200 };

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const {
    config,
    databaseUrl,
    processor,
    processorTimeLimitMs,
    adapterLimits,
    stripeLimits,
    onStatement,
    onNotice,
    dueWork = LOOK_OFTEN,
    guards,
    headersTimeoutMs,
    readTimeoutMs,
    requestLog,
  } = options;
  const own = databaseUrl === undefined ? await cloneDatabase() : undefined;
  const url = databaseUrl ?? own?.url ?? '';
  const dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-test-'));
  const server = await startServer(
    {
      databaseUrl: url,
      dataDir,
      port: 0,
      host: '127.0.0.1',
      demo: undefined,
      demoHistory: false,
      demoBeyondLoopback: false,
      mode: 'sandbox',
      retired: 'serve',
      publicUrl: undefined,
      logLevel: 'silent',
      operatorKey: OPERATOR_KEY,
      accountKey: ACCOUNT_KEY,
      ...config,
    },
    {
      onFailure(error) {
        throw error;
      },
      ...(processor && { processor }),
      ...(processorTimeLimitMs !== undefined && { processorTimeLimitMs }),
      ...(adapterLimits && { adapterLimits }),
      ...(stripeLimits && { stripeLimits }),
      ...(onStatement && { onStatement }),
      ...(onNotice && { onNotice }),
      dueWork,
      ...(guards && { guards }),
      ...(headersTimeoutMs !== undefined && { headersTimeoutMs }),
      ...(readTimeoutMs !== undefined && { readTimeoutMs }),
      ...(requestLog && { requestLog }),
    },
  );
  // Tests fill tables with one statement, and add up the rows of all nodes. On a busy machine that takes longer than a request may.
  const database = openDatabase(url, { maxConnections: 2, hasLongTimeouts: true });
  const { baseUrl } = server;
  const inOurName = cookiesBehindBalancer(url, new URL(baseUrl).port);

  return {
    baseUrl,
    database,
    databaseUrl: url,
    metricsUrl: server.metricsUrl,
    ...callsBy((method, path, options) => callApi(baseUrl, method, path, inOurName(options))),
    stopServer: () => server.stop(),
    async stop() {
      await server.stop();
      await database.close();
      await own?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Runs a server for the duration of `work`. */
export async function withServer<Result>(
  options: TestServerOptions,
  work: (server: TestServer) => Promise<Result>,
): Promise<Result> {
  const server = await startTestServer(options);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Like `withServer`, with one database for all servers of a test file. They run one after the other, each with merchants of its own. */
export function withSharedDatabase(): (
  options: TestServerOptions,
  work: (server: TestServer) => Promise<void>,
) => Promise<void> {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await cloneDatabase();
  });
  afterAll(() => database.drop());
  return (options, work) => withServer({ ...options, databaseUrl: database.url }, work);
}

export interface ProductionPair {
  readonly production: TestServer;
  /** On the same database. It creates the merchants, since production has no operation for that. */
  readonly sandbox: TestServer;
  stop(): Promise<void>;
}

/** A production server, and the sandbox to which its database belonged before. */
export async function startProduction(config: Partial<ServeConfig> = {}): Promise<ProductionPair> {
  const sandbox = await startTestServer();
  const production = await startTestServer({
    databaseUrl: sandbox.databaseUrl,
    config: { ...config, mode: 'production', changeMode: true },
  });
  return {
    production,
    sandbox,
    async stop() {
      await production.stop();
      await sandbox.stop();
    },
  };
}

const portsOf = new Map<string, Set<string>>();

/**
 * A sandbox names its cookies after the port that clients call. Servers that share a database stand for servers behind one load balancer,
 * which clients call at one port, so a cookie that one of them set is sent to each under its own name.
 */
function cookiesBehindBalancer(databaseUrl: string, port: string): (options?: CallOptions) => CallOptions | undefined {
  const ports = portsOf.get(databaseUrl) ?? new Set();
  portsOf.set(databaseUrl, ports.add(port));
  return (options) => {
    const cookie = options?.headers?.['cookie'];
    if (cookie === undefined) return options;
    const ours = cookie.replaceAll(/(tillhouse_[a-z]+_)(\d+)(?==)/g, (name, start: string, of: string) =>
      ports.has(of) ? start + port : name,
    );
    return { ...options, headers: { ...options?.headers, cookie: ours } };
  };
}

type Calls = Pick<TestServer, 'call' | 'operator' | 'createMerchant' | 'createToken'>;

function callsBy(call: TestServer['call']): Calls {
  const operator: TestServer['operator'] = (method, path, body) => call(method, path, { token: OPERATOR_KEY, body });
  return {
    call,
    operator,
    async createMerchant(body = {}) {
      const answer = await operator('POST', '/api/sandbox/merchants', body);
      if (answer.status !== 200) throw new Error(`no merchant: ${answer.text}`);
      const { merchant, access_token: token } = answer.body;
      return { id: merchant.id, token, locationIds: merchant.locations.map(({ id }: { id: string }) => id) };
    },
    async createToken(merchantId, permissions) {
      return (await operator('POST', `/api/sandbox/merchants/${merchantId}/tokens`, { permissions })).body.access_token;
    },
  };
}

/** Where races run. A lock inside the process would be enough on one server only, so two servers prove more. */
export const PLACES = [
  ...(isLong ? [{ where: 'on one server', servers: 1 }] : []),
  { where: 'on two servers that share a database', servers: 2 },
] as const;

/**
 * Several servers of one database as one: concurrent requests go to all of them in turn, a single request to
 * the first, so that no test sees a cache that the other servers have not updated yet.
 */
export function spreadOver(servers: readonly TestServer[]): TestServer {
  const [first] = servers;
  if (!first) throw new Error('no server');
  let underWay = 0;
  const calls = callsBy(async (...request) => {
    const server = servers[underWay++ % servers.length] ?? first;
    return server.call(...request).finally(() => underWay--);
  });
  return { ...first, ...calls };
}
