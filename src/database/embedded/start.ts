/** Starts PostgreSQL on a data folder and takes the folder lock, or finds the running process that owns the folder. */
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDataFolder } from '../../base/data-folder.js';
import { chooseAccount, type SystemAccount } from './account.js';
import { type Binaries, findBinaries } from './binaries.js';
import { fullDisk, openCluster } from './cluster.js';
import type { PostgresAddress } from './connection.js';
import { prepareDatabase } from './database.js';
import { acquireLaunchLock } from './launch-lock.js';
import { DataFolderInUse, FolderLock, findHolder, type Holder, type HolderRole } from './lock.js';
import {
  isPostmasterOf,
  type LaunchFailure,
  Postmaster,
  pickFreePort,
  readPostmasterFile,
  stopForeignPostmaster,
} from './postmaster.js';

const RETRY_MS = 50;
const MAX_RETRY_MS = 400;
/** A server takes the lock as soon as PostgreSQL is ready. If it is free for this long, the server was killed. */
const ABANDONED_MS = 500;
/** How long another PostgreSQL may not respond, and how long our own may fail for temporary reasons. */
const TIMEOUT_MS = 60_000;
const EMPTY_LOCK_FILE_MS = 2_000;

/** A prepared data folder, with everything that is needed to run PostgreSQL on it. */
export interface DataFolder {
  readonly dataDir: string;
  readonly folder: string;
  readonly passwordFile: string;
  readonly password: string;
  readonly binaries: Binaries;
  readonly account: SystemAccount | undefined;
  readonly role: HolderRole;
  readonly isDisposable: boolean;
  readonly log: (line: string) => void;
}

export interface Running {
  readonly postmaster: Postmaster;
  readonly lock: FolderLock;
  readonly port: number;
}

export interface OwnedByOther {
  readonly holder: Holder;
  readonly port: number;
}

interface Failed {
  readonly failure: LaunchFailure;
  readonly output: string;
}

export interface BringUpOptions {
  /** A restart keeps its port; a first start picks a free one. */
  readonly port?: number;
  readonly onLockLost: () => void;
  readonly signal: AbortSignal;
}

/** PostgreSQL exited before it was ready. */
export class StartFailure extends Error {
  readonly failure: LaunchFailure;

  constructor(folder: string, { failure, output }: Failed) {
    super(failure === 'no room' ? fullDisk(folder) : `PostgreSQL did not start on ${folder}:\n${output}`);
    this.failure = failure;
  }
}

/** The files of the embedded PostgreSQL in a data folder. */
export function placesIn(dataDir: string): Pick<DataFolder, 'folder' | 'passwordFile'> {
  return { folder: join(dataDir, 'postgres'), passwordFile: join(dataDir, 'postgres-password') };
}

/** Where the PostgreSQL of a data folder takes connections. Undefined if it does not. */
export async function findAddress(dataDir: string): Promise<PostgresAddress | undefined> {
  const { folder, passwordFile } = placesIn(dataDir);
  const file = await readPostmasterFile(folder);
  if (file?.status !== 'ready') return undefined;
  const password = await readFile(passwordFile, 'utf8').catch(() => undefined);
  return password === undefined ? undefined : { port: file.port, password: password.trim() };
}

export async function prepareDataFolder(
  options: Pick<DataFolder, 'dataDir' | 'role' | 'log' | 'isDisposable'>,
): Promise<DataFolder> {
  const dataDir = resolve(options.dataDir);
  const { folder, passwordFile } = placesIn(dataDir);
  await makeDataFolder(dataDir);
  const account = await chooseAccount(folder);
  const binaries = await findBinaries(account);
  const password = await openCluster({ folder, passwordFile, binaries, account, isDisposable: options.isDisposable });
  return { ...options, dataDir, folder, passwordFile, password, binaries, account };
}

/**
 * Several processes can call this at the same time. PostgreSQL's own lock file prevents a second PostgreSQL on the folder, and
 * the folder lock decides which process owns it. The others leave the folder alone.
 */
export async function startOrFindOwner(
  dataFolder: DataFolder,
  options: BringUpOptions,
): Promise<Running | OwnedByOther> {
  const since = performance.now();
  for (let retryMs = RETRY_MS; ; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
    options.signal.throwIfAborted();
    const port = options.port ?? (await pickFreePort());
    const postmaster = await launchUnlessRunning(dataFolder, port);
    if (postmaster === undefined) {
      const occupied = await findOwnerOrStop(dataFolder, options.signal);
      if (occupied !== undefined) return occupied;
      continue;
    }
    const result = await lockAndPrepare(dataFolder, postmaster, { ...options, port });
    if (!('failure' in result)) return result;
    options.signal.throwIfAborted();
    const failingMs = performance.now() - since;
    if (['other', 'no room'].includes(result.failure) || failingMs > TIMEOUT_MS) {
      throw new StartFailure(dataFolder.folder, result);
    }
    // PostgreSQL fills the file right after it creates it. A file that stays empty is left from a power failure.
    if (result.failure === 'lock file empty' && failingMs > EMPTY_LOCK_FILE_MS) {
      await rm(join(dataFolder.folder, 'postmaster.pid'), { force: true });
    }
    await sleep(retryMs);
  }
}

async function launchUnlessRunning(dataFolder: DataFolder, port: number): Promise<Postmaster | undefined> {
  const releaseLaunchLock = await acquireLaunchLock(dataFolder.folder);
  try {
    const file = await readPostmasterFile(dataFolder.folder);
    if (file !== undefined && (await isPostmasterOf(dataFolder.folder, file.pid))) return undefined;
    const postmaster = await Postmaster.launch({ ...dataFolder, port, stalePid: file?.pid });
    await postmaster.untilInLockFile();
    return postmaster;
  } finally {
    await releaseLaunchLock();
  }
}

async function lockAndPrepare(
  dataFolder: DataFolder,
  postmaster: Postmaster,
  { port, signal, onLockLost }: BringUpOptions & { port: number },
): Promise<Running | OwnedByOther | Failed> {
  const interrupt = (): void => postmaster.signal('SIGINT');
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  let lock: FolderLock | Holder | undefined;
  try {
    const failure = await postmaster.untilReady();
    if (failure !== undefined) return { failure, output: postmaster.output() };
    const address = { port, password: dataFolder.password };
    lock = await FolderLock.take(address, { role: dataFolder.role, onLost: onLockLost });
    if (!(lock instanceof FolderLock)) {
      postmaster.disown();
      return { holder: lock, port };
    }
    await prepareDatabase(lock.sql, address);
    return { postmaster, lock, port };
  } catch (error) {
    if (lock instanceof FolderLock) await lock.release();
    await postmaster.stop();
    refuseWrongPassword(error, dataFolder);
    return { failure: 'interrupted', output: `${(error as Error).message}\n${postmaster.output()}` };
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

/** Returns the owner of the PostgreSQL that runs on the folder. Stops PostgreSQL if its server was killed. */
async function findOwnerOrStop(dataFolder: DataFolder, signal: AbortSignal): Promise<OwnedByOther | undefined> {
  const since = performance.now();
  let freeSince: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const file = await readPostmasterFile(dataFolder.folder);
    if (file === undefined || !(await isPostmasterOf(dataFolder.folder, file.pid))) return undefined;
    if (file.status === 'ready') {
      const address = { port: file.port, password: dataFolder.password };
      try {
        const holder = await findHolder(address);
        if (holder !== undefined) return { holder, port: file.port };
        freeSince ??= performance.now();
        if (performance.now() - freeSince >= ABANDONED_MS) return await stopAbandoned(dataFolder, address, file.pid);
      } catch (error) {
        refuseWrongPassword(error, dataFolder);
        freeSince = undefined;
      }
    }
    if (performance.now() - since > TIMEOUT_MS) {
      throw new DataFolderInUse(dataFolder.dataDir, { postmasterPid: file.pid });
    }
    await sleep(RETRY_MS);
  }
}

/** Holds the lock until PostgreSQL has exited, so that only one process stops it. */
async function stopAbandoned(
  dataFolder: DataFolder,
  address: PostgresAddress,
  pid: number,
): Promise<OwnedByOther | undefined> {
  const lock = await FolderLock.take(address, { role: dataFolder.role, onLost: () => {} });
  if (!(lock instanceof FolderLock)) return { holder: lock, port: address.port };
  try {
    dataFolder.log(`stopping PostgreSQL (process ${pid}), because its server was killed`);
    await stopForeignPostmaster({ pid, folder: dataFolder.folder, binaries: dataFolder.binaries });
  } finally {
    await lock.release();
  }
  return undefined;
}

function refuseWrongPassword(error: unknown, { folder, passwordFile }: DataFolder): void {
  if ((error as { code?: string }).code !== '28P01') return;
  throw new Error(
    `The password in ${passwordFile} does not match the database in ${folder}. Restore the file from a backup.`,
    { cause: error },
  );
}
