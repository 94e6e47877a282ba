/** The embedded PostgreSQL of one process: its files, start, stop and automatic restart. */
import { spawn } from 'node:child_process';
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { IGNORE_FILE } from '../../src/base/data-folder.js';
import {
  DataFolderInUse,
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbedded,
} from '../../src/database/embedded/embedded.js';
import { ensureDefined } from '../support/people.js';
import { superuserUrl } from '../support/superuser.js';
import {
  answersAgain,
  clearAway,
  connect,
  isAlive,
  killHard,
  later,
  livePostmasterPid,
  newDataDir,
  readNotes,
  storeNote,
  usedDataDir,
} from './embedded-fixture.js';

afterEach(clearAway);

async function start(dataDir: string, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> {
  const embedded = await startEmbedded({ dataDir, ...options });
  later(() => embedded.stop());
  return embedded;
}

async function permissions(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe('startEmbedded', () => {
  it('creates the cluster at the first start, never logs the password, and leaves no process and no temporary file after it stops', async () => {
    const dataDir = await newDataDir();
    const lines: string[] = [];
    const embedded = await start(dataDir, { log: (line) => lines.push(line) });
    const [row] = await connect(await superuserUrl(embedded.url, dataDir))`
      select current_database() as database, lower('ÄÉ') as lower,
        (select setting from pg_settings where name = 'fsync') as fsync,
        (select setting from pg_settings where name = 'synchronous_commit') as synchronous_commit,
        (select setting from pg_settings where name = 'listen_addresses') as listen_addresses,
        (select setting from pg_settings where name = 'unix_socket_directories') as unix_socket_directories,
        (select setting from pg_settings where name = 'data_checksums') as data_checksums,
        pg_encoding_to_char(encoding) as encoding
      from pg_database where datname = current_database()`;
    expect(row).toEqual({
      database: 'tillhouse',
      lower: 'äé',
      fsync: 'on',
      synchronous_commit: 'on',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      data_checksums: 'on',
      encoding: 'UTF8',
    });
    const pid = await livePostmasterPid(dataDir);
    expect(await permissions(dataDir)).toBe('700');
    expect(await permissions(join(dataDir, 'postgres'))).toBe('700');
    expect(await permissions(join(dataDir, 'postgres-password'))).toBe('600');

    await Promise.all([embedded.stop(), embedded.stop()]);
    await embedded.stop();
    expect(await isAlive(pid)).toBe(false);
    expect((await readdir(dataDir)).sort()).toEqual([IGNORE_FILE, 'postgres', 'postgres-password']);
    const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
    expect(password.length).toBeGreaterThan(40);
    expect(lines.join('\n')).toContain('ready to accept connections');
    expect(lines.join('\n')).not.toContain(password);
  });

  it('keeps the data over a restart, and rejects connections without the password', async () => {
    const dataDir = await usedDataDir();
    const first = await start(dataDir);
    await storeNote(first.url, 'kept');
    await first.stop();

    const second = await start(dataDir);
    expect(await readNotes(second.url)).toEqual(['kept']);
    const wrongUrl = second.url.replace(/:[^:@]+@/, ':wrong@');
    await expect(connect(wrongUrl)`select 1`).rejects.toMatchObject({ code: '28P01' });
  });

  it('restarts a killed PostgreSQL on the same port, and keeps its lock on the folder', async () => {
    const dataDir = await usedDataDir();
    const embedded = await start(dataDir);
    await storeNote(embedded.url, 'committed');
    const sql = connect(embedded.url);
    const killed = await livePostmasterPid(dataDir);
    await killHard(killed);

    await answersAgain(sql);
    expect(await sql`select note from notes`).toEqual([{ note: 'committed' }]);
    expect(await livePostmasterPid(dataDir)).not.toBe(killed);
    await expect(startEmbedded({ dataDir })).rejects.toThrow(DataFolderInUse);
  });

  it('restarts after the last process of a killed PostgreSQL has ended', async () => {
    const dataDir = await usedDataDir();
    const lines: string[] = [];
    const embedded = await start(dataDir, { log: (line) => lines.push(line) });
    const sql = connect(embedded.url);
    // A process that has stopped does not notice that its PostgreSQL was killed, like one in the middle of a computation.
    const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const pid = ensureDefined(backend).pid;
    process.kill(pid, 'SIGSTOP');
    try {
      await killHard(await livePostmasterPid(dataDir));
      while (!lines.join('\n').includes('pre-existing shared memory block')) await sleep(20);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await answersAgain(sql);
  });

  it('acquires its lock again when the connection that held it breaks', async () => {
    const dataDir = await usedDataDir();
    const embedded = await start(dataDir);
    const sql = connect(await superuserUrl(embedded.url, dataDir));
    const holders = () => sql<{ pid: number }[]>`select pid from pg_locks where locktype = 'advisory' and granted`;
    const [before] = await holders();
    await sql`select pg_terminate_backend(${before?.pid ?? 0})`;

    let now = await holders();
    while (now.length === 0 || now[0]?.pid === before?.pid) {
      await sleep(20);
      now = await holders();
    }
    await expect(startEmbedded({ dataDir })).rejects.toThrow(DataFolderInUse);
  });

  it('gives up when PostgreSQL fails five times in a row', async () => {
    const dataDir = await usedDataDir();
    let giveUp: (error: Error) => void = () => {};
    const gaveUp = new Promise<Error>((resolve) => {
      giveUp = resolve;
    });
    const lines: string[] = [];
    const embedded = await start(dataDir, { log: (line) => lines.push(line), onGiveUp: giveUp });
    const pid = await livePostmasterPid(dataDir);
    const control = join(dataDir, 'postgres/global/pg_control');
    await rename(control, `${control}.away`);
    await killHard(pid);

    expect((await gaveUp).message).toMatch(/did not start .*pg_control/s);
    expect(lines.filter((line) => line.startsWith('restarting PostgreSQL'))).toHaveLength(4);
    await embedded.stop();
    await rename(`${control}.away`, control);
    await start(dataDir);
  });

  it('starts although an unrelated process has the pid that a crash left in postmaster.pid', async () => {
    const dataDir = await usedDataDir();
    const first = await start(dataDir);
    await storeNote(first.url, 'kept');
    const pidFile = join(dataDir, 'postgres/postmaster.pid');
    const content = await readFile(pidFile, 'utf8');
    await first.stop();
    // PostgreSQL itself would refuse to start for a live process of its own account, so the process runs as that account.
    const { uid, gid } = await stat(join(dataDir, 'postgres'));
    const unrelated = spawn('sleep', ['600'], { uid, gid });
    later(() => unrelated.kill('SIGKILL'));
    await writeFile(pidFile, content.replace(/^\d+/, String(unrelated.pid)), { mode: 0o600 });
    await chown(pidFile, uid, gid);

    const second = await start(dataDir);
    expect(await readNotes(second.url)).toEqual(['kept']);
    expect(await isAlive(unrelated.pid ?? 0)).toBe(true);
  });

  it('starts although a power failure left an empty postmaster.pid', async () => {
    const dataDir = await usedDataDir();
    await writeFile(join(dataDir, 'postgres/postmaster.pid'), '');
    await start(dataDir);
  });

  it('removes the remains of an interrupted first start, and starts over', async () => {
    const dataDir = await newDataDir();
    const ended = spawn('true');
    await new Promise((resolve) => ended.once('exit', resolve));
    const abandoned = join(dataDir, `postgres.new-${ended.pid}-00000000`);
    await mkdir(join(abandoned, 'base'), { recursive: true });
    await writeFile(join(abandoned, 'PG_VERSION'), '18\n');

    await start(dataDir);
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres-password']);
  });

  it('explains how to fix a missing or wrong password file', async () => {
    const dataDir = await usedDataDir();
    const passwordFile = join(dataDir, 'postgres-password');
    await writeFile(passwordFile, 'another\n');
    await expect(startEmbedded({ dataDir })).rejects.toThrow(`The password in ${passwordFile} does not match`);
    await rm(passwordFile);
    await expect(startEmbedded({ dataDir })).rejects.toThrow(`${passwordFile} is missing`);
  });

  it('refuses a cluster of another PostgreSQL version, and a folder that is not a cluster', async () => {
    const dataDir = await newDataDir();
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n');
    await expect(startEmbedded({ dataDir })).rejects.toThrow(/was created by PostgreSQL 17, .* uses PostgreSQL 18/);
    await rm(join(dataDir, 'postgres/PG_VERSION'));
    await writeFile(join(dataDir, 'postgres/photo.jpg'), '');
    await expect(startEmbedded({ dataDir })).rejects.toThrow('is not a PostgreSQL cluster');
    expect(await readdir(join(dataDir, 'postgres'))).toEqual(['photo.jpg']);
  });
});
