/** Creates and checks the files of the embedded PostgreSQL: the cluster and the password of its superuser. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, link, lstat, open, readdir, readFile, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type SystemAccount, spawnAs, wrongOwner } from './account.js';
import type { Binaries } from './binaries.js';
import { SUPERUSER } from './connection.js';
import { createFolderAtomically, isFilled, syncFolder, unfinishedName } from './folder.js';

export interface ClusterOptions {
  readonly folder: string;
  readonly passwordFile: string;
  readonly binaries: Binaries;
  readonly account: SystemAccount | undefined;
  readonly isDisposable: boolean;
}

/** Returns the password of the cluster in `folder`. Creates both if there is no cluster yet. */
export async function openCluster(options: ClusterOptions): Promise<string> {
  const { folder, passwordFile } = options;
  if (!(await isFilled(folder))) {
    // The password comes first, so that two concurrent first starts use the same password, whichever cluster remains.
    await createPassword(passwordFile);
    await createFolderAtomically(folder, (unfinished) => initialise(unfinished, options));
  }
  await checkVersion(options);
  if (options.account !== undefined) await changeOwner(folder, options.account);
  return readPassword(options);
}

/**
 * The data folder argument of a program that runs as another account. The folder can be below folders that this account cannot
 * enter. The working directory is set before the account changes, and this path to it needs no rights on the folders above.
 */
export function folderArgument(folder: string, account: SystemAccount | undefined): string {
  return account !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : folder;
}

/** Replaces the environment: PGDATA or a locale for another PostgreSQL must not affect this one. */
export const PLAIN_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC' };

async function createPassword(passwordFile: string): Promise<void> {
  const unfinished = unfinishedName(passwordFile);
  await writeSecret(unfinished, randomBytes(32).toString('base64url'));
  try {
    await link(unfinished, passwordFile);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(unfinished);
  }
  await syncFolder(dirname(passwordFile));
}

async function writeSecret(path: string, secret: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(`${secret}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readPassword({ folder, passwordFile }: ClusterOptions): Promise<string> {
  try {
    return (await readFile(passwordFile, 'utf8')).trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EACCES') throw wrongOwner(passwordFile, 'another user');
    if (code !== 'ENOENT') throw error;
    throw new Error(
      `${passwordFile} is missing: it contains the password of the database in ${folder}, which cannot be opened without ` +
        `it. Restore the file from a backup, or move ${folder} away to start with an empty database.`,
    );
  }
}

async function checkVersion({ folder, binaries }: ClusterOptions): Promise<void> {
  const created = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') throw wrongOwner(folder, 'another user');
    throw new Error(
      `${folder} is not empty and is not a PostgreSQL cluster. Move it away, or use another data folder.`,
    );
  });
  const installed = binaries.version.split('.')[0];
  if (created.trim() === installed) return;
  throw new Error(
    `${folder} was created by PostgreSQL ${created.trim()}, but this version of Tillhouse uses PostgreSQL ${installed}. ` +
      'Make a backup with the version of Tillhouse that created it (tillhouse backup FILE), and restore it with this one.',
  );
}

/** A cluster that root restored from a backup belongs to root, which cannot run PostgreSQL. */
async function changeOwner(path: string, account: SystemAccount): Promise<void> {
  const { uid } = await lstat(path);
  if (uid === account.uid) return;
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chown(join(entry.parentPath, entry.name), account.uid, account.gid);
  }
  await chown(path, account.uid, account.gid);
}

/**
 * `initdb` syncs its files to disk, which takes 0.1 s of 0.8 s, once. It is needed because these files are in no WAL that a
 * recovery could replay.
 */
async function initialise(folder: string, options: ClusterOptions): Promise<void> {
  const { passwordFile, binaries, account, isDisposable } = options;
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  const password = await makeReadable(passwordFile, account);
  try {
    await runInitdb(binaries.initdb, { folder, account, isDisposable, ...password });
  } finally {
    await password.release();
  }
}

interface ReadablePassword {
  readonly passwordPath: string;
  readonly standardInput: 'ignore' | number;
  release(): Promise<void>;
}

/** Another account cannot open the password file by its name, so it gets a copy as its standard input. */
async function makeReadable(passwordFile: string, account: SystemAccount | undefined): Promise<ReadablePassword> {
  if (account === undefined) {
    return { passwordPath: passwordFile, standardInput: 'ignore', release: async () => {} };
  }
  const copy = unfinishedName(passwordFile);
  await writeSecret(copy, (await readFile(passwordFile, 'utf8')).trim());
  try {
    await chown(copy, account.uid, account.gid);
    const handle = await open(copy, 'r');
    return { passwordPath: '/dev/stdin', standardInput: handle.fd, release: () => handle.close() };
  } finally {
    await rm(copy);
  }
}

interface InitdbRun extends Pick<ReadablePassword, 'passwordPath' | 'standardInput'> {
  readonly folder: string;
  readonly account: SystemAccount | undefined;
  readonly isDisposable: boolean;
}

/**
 * The builtin locale sorts by code point and supports upper and lower case of all of Unicode. It does not change with the
 * operating system's libraries; such a change would silently corrupt indexes.
 */
function runInitdb(initdb: string, run: InitdbRun): Promise<void> {
  const { folder, account, passwordPath, standardInput, isDisposable } = run;
  const parameters = [
    `--pgdata=${folderArgument(folder, account)}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordPath}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    // Space for the upper levels of the indexes of some million rows, and for bursts of writes between two checkpoints.
    '--set=shared_buffers=256MB',
    '--set=max_wal_size=2GB',
    ...(isDisposable ? ['--no-sync'] : []),
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(initdb, parameters, {
      ...spawnAs(account),
      cwd: folder,
      env: PLAIN_ENVIRONMENT,
      stdio: [standardInput, 'pipe', 'pipe'],
      windowsHide: true,
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', (cause) => reject(cannotRun(initdb, cause)));
    child.once('close', (code) => {
      if (code === 0) resolve();
      else if (isAboutFullDisk(output)) reject(new Error(fullDisk(folder)));
      else reject(new Error(`PostgreSQL's initdb could not create a database cluster:\n${output.trim()}`));
    });
  });
}

/** Whether PostgreSQL says that there is no room. */
export function isAboutFullDisk(output: string): boolean {
  return /No space left on device|Disk quota exceeded/.test(output);
}

export function fullDisk(folder: string): string {
  return `The disk is full: there is no room for the database in ${folder}. Free some space and start again.`;
}

export function cannotRun(program: string, cause: Error): Error {
  return new Error(
    `${program} cannot be run: ${cause.message}. On a system without glibc (Alpine Linux), or if PostgreSQL's ` +
      'npm package does not support it, set DATABASE_URL to your own PostgreSQL.',
    { cause },
  );
}
