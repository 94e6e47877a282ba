/** A server whose embedded PostgreSQL is killed repeatedly, hangs, or has a full disk. */
import { execFile } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  copyAll,
  killPostmaster,
  newFolder,
  postmasterPid,
  processesIn,
  Server,
  until,
  usedDataDir,
} from '../support/process.js';
import { noteSharedMemory } from '../support/shared-memory.mjs';
import {
  Crowd,
  expectAway,
  expectBooksInOrder,
  expectStops,
  untilEndsAreLogged,
  untilReady,
  untilReason,
} from './outage-fixture.js';

const command = promisify(execFile);

async function expectKept(crowd: Crowd, { dataDir }: Server): Promise<void> {
  await crowd.finish();
  await crowd.expectAllKept();
  await expectBooksInOrder(['--data-dir', dataDir]);
}

/** Returns when another one has begun to start: until then, processes of the killed one may still respond. */
async function killAndReplace({ dataDir }: Server): Promise<void> {
  const pid = await postmasterPid(dataDir);
  await killPostmaster(dataDir);
  await until(async () => (await postmasterPid(dataDir).catch(() => pid)) !== pid);
}

/** Stops all processes of a server's PostgreSQL, like a machine that hangs. */
async function signalPostgres({ dataDir }: Server, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  const signalled = new Set<number>();
  for (;;) {
    // Repeats until there is no new process: one that was forked meanwhile would continue.
    const found = (await processesIn(join(dataDir, 'postgres'))).filter(({ pid }) => !signalled.has(pid));
    if (found.length === 0) return;
    for (const { pid } of found) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // otherwise it has just ended
      }
      signalled.add(pid);
    }
  }
}

describe('the embedded PostgreSQL of a server', () => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.start({ dataDir: await usedDataDir() });
  });
  afterAll(() => server.stop());

  it.each([
    ['', 0],
    [' while clients pay', 8],
  ])('recovers after it is killed twice, 2 s apart%s', async (_, clients) => {
    const crowd = await Crowd.start(server, clients);
    await killPostmaster(server.dataDir);
    await sleep(2000);
    await killAndReplace(server);
    await untilReady(server);
    await crowd.untilPaid(2 * clients);
    await expectKept(crowd, server);
  });

  it('recovers after it is killed five times as soon as it is up', async () => {
    for (let time = 0; time < 5; time++) await killAndReplace(server);
    await untilReady(server);
    expect(await untilEndsAreLogged(server)).toBeGreaterThan(0);
    expect(server.program.stderr).not.toContain('will retry');
  });

  it('is reported to every request at once when it hangs, and continues afterwards', async () => {
    const crowd = await Crowd.start(server, 4);
    await signalPostgres(server, 'SIGSTOP');
    await crowd.untilRefused(4);
    await expectAway(server, /does not respond/);
    await signalPostgres(server, 'SIGCONT');
    await crowd.untilPaid(8);
    await expectKept(crowd, server);
  });
});

it('does not delay the stop of its server by more than 10 s when it hangs', async () => {
  const server = await Server.start({ dataDir: await usedDataDir() });
  await signalPostgres(server, 'SIGSTOP');
  await noteSharedMemory(await postmasterPid(server.dataDir)); // the server kills it, and nothing starts on this folder again
  await expectStops(server);
  await signalPostgres(server, 'SIGCONT'); // processes that were suspended can end now
  await until(async () => (await processesIn(server.dataDir)).length === 0);
});

describe('a full disk', () => {
  let folder: string;
  let cannotMount: string | undefined;
  beforeAll(async () => {
    folder = await newFolder();
    const mount = ['-t', 'tmpfs', '-o', 'size=200m,mode=755', 'tmpfs', folder];
    cannotMount = await command('mount', mount).then(
      () => undefined,
      (error: Error) => `this account cannot mount a small disk: ${error.message}`,
    );
  });
  afterAll(async () => {
    if (cannotMount === undefined) await command('umount', [folder]);
  });

  it('is reported with 503 and in /readyz until there is room again', async ({ skip }) => {
    skip(cannotMount !== undefined, cannotMount);
    const dataDir = join(folder, 'data');
    await copyAll(await usedDataDir(), dataDir);
    const server = await Server.start({ dataDir });
    const crowd = await Crowd.start(server, 4);
    const filler = join(folder, 'filler');
    const { bavail, bsize } = await statfs(folder);
    await writeFile(filler, Buffer.alloc(bavail * bsize)).catch(() => {});
    await crowd.untilRefused(8);
    await untilReason(server, /disk of the database is full/);
    expect((await server.call('GET', '/healthz')).status).toBe(200);
    await sleep(3000); // PostgreSQL may have exited: it cannot continue if it cannot write its WAL
    expect((await server.call('GET', '/readyz')).status).toBe(503);
    await rm(filler);
    await untilReady(server);
    await crowd.untilPaid(8);
    await expectKept(crowd, server);
    await server.stop();
  });
});
