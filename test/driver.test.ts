/** The inside of the driver that `src/database/driver.ts` uses. If a new version of the driver fails here, only that file has to follow. */
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  backendPidOf,
  type OneDriver,
  openDriver,
  resumeSocketOf,
  runBy,
  type Statement,
  statementOf,
  tlsSettingsOf,
} from '../src/database/driver.js';

const url = inject('postgresUrl');
const told: string[] = [];
let socket: Socket;
let driver: OneDriver;
let closed = 0;

beforeAll(async () => {
  const { hostname, port } = new URL(url);
  socket = connect(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  driver = openDriver(
    url,
    { fetch_types: false },
    { socket, isOpen: () => true, onClose: () => closed++, onStatement: (text) => void told.push(text) },
  );
});
afterAll(() => driver.sql.end({ timeout: 0 }));

describe('a statement of the driver', () => {
  it('is not sent before it is awaited, and then only to what runs it', async () => {
    const run: Statement[] = [];
    const query = runBy(driver.sql`select ${'a'}::text as word`, (statement) => void run.push(statement));
    expect(run).toEqual([]);
    void query.then();
    await Promise.resolve();
    expect(run).toEqual([query]);
    expect(told).toEqual([]);
    expect(statementOf(query).args).toEqual(['a']);

    driver.send(statementOf(query));
    expect(await query).toMatchObject([{ word: 'a' }]);
    expect(told).toEqual(['select $1::text as word']);
  });

  it('is settled by its own functions, which may be replaced', async () => {
    const query = runBy(driver.sql`select no_such_column`, (statement) => driver.send(statement));
    const { reject } = statementOf(query);
    const seen: unknown[] = [];
    statementOf(query).reject = (error) => {
      seen.push(error);
      reject(error);
    };
    await expect(query).rejects.toThrow('no_such_column');
    expect(seen).toHaveLength(1);
  });

  it('of unsafe text is one too', async () => {
    const query = runBy(driver.sql.unsafe('select 1 as one'), (statement) => driver.send(statement));
    expect(await query).toMatchObject([{ one: 1 }]);
  });

  it('knows the process of its connection', async () => {
    const query = driver.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    expect(backendPidOf(query)).toBeUndefined();
    const [row] = await query;
    expect(backendPidOf(query)).toBe(row?.pid);
  });

  it('says that it copies, and its socket goes on after the rows were read', async () => {
    await driver.sql`create temporary table lines (line text)`;
    const writing = driver.sql`copy lines from stdin`;
    const writable = await writing.writable();
    expect(statementOf(writing).streaming).toBeTruthy();
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`);
    await pipeline(Readable.from(lines), writable);

    const rows = await driver.sql`copy lines to stdout`.readable();
    let bytes = 0;
    for await (const chunk of rows) bytes += (chunk as Buffer).length;
    resumeSocketOf(rows);
    expect(bytes).toBe(lines.join('').length);
    expect(await driver.sql`select count(*)::integer as count from lines`).toMatchObject([{ count: lines.length }]);
  });
});

describe('a driver for one socket', () => {
  it('reads TLS from the connection string', () => {
    const read = (search: string) => tlsSettingsOf(postgres(`postgres://u@127.0.0.1:1/d${search}`));
    expect(read('?sslmode=require&sslnegotiation=direct')).toEqual({ mode: 'require', isDirect: true });
    expect(read('?sslmode=verify-full')).toEqual({ mode: 'verify-full', isDirect: false });
    expect(read('').mode).toBeFalsy();
  });

  it('does not connect again when the socket is gone', async () => {
    expect(closed).toBe(0);
    socket.destroy();
    await new Promise((resolve) => socket.once('close', resolve));
    driver.sql`select 1`.execute().catch(() => {}); // nobody answers it: a connection rejects its own statements
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(closed).toBeGreaterThan(0);
  });
});
