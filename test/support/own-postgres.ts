/** PostgreSQL as an operator runs it next to Tillhouse: started, stopped, killed and promoted by the test. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { chooseAccount, type SystemAccount, spawnAs } from '../../src/database/embedded/account.js';
import { type Binaries, findBinaries } from '../../src/database/embedded/binaries.js';
import { pickFreePort } from '../../src/database/embedded/postmaster.js';
import { copyAll, newFolder } from './process.js';
import { signalWithNote } from './shared-memory.mjs';

const PASSWORD = 'correct-horse';
/** Asks for the account of a cluster that does not exist yet. */
const NO_CLUSTER = join(tmpdir(), 'no-cluster');
const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

type Settings = Readonly<Record<string, string | number>>;

interface Program {
  readonly binaries: Binaries;
  readonly account: SystemAccount | undefined;
}

export class OwnPostgres {
  readonly folder: string;
  readonly port: number;
  readonly #binaries: Binaries;
  readonly #account: SystemAccount | undefined;
  #child: ChildProcess | undefined;
  #output = '';

  private constructor(folder: string, port: number, binaries: Binaries, account: SystemAccount | undefined) {
    this.folder = folder;
    this.port = port;
    this.#binaries = binaries;
    this.#account = account;
  }

  /** Creates an empty cluster that is not started. */
  static async make(settings: Settings = {}): Promise<OwnPostgres> {
    const account = await chooseAccount(NO_CLUSTER);
    const binaries = await findBinaries(account);
    const folder = await folderFor(account);
    await initialise(folder, binaries, account);
    return OwnPostgres.#on(folder, settings, { binaries, account });
  }

  static async #on(folder: string, settings: Settings, { binaries, account }: Program): Promise<OwnPostgres> {
    const port = await pickFreePort();
    const named = { ...settings, port, cluster_name: nameOf(folder) };
    const lines = Object.entries(named).map(([name, value]) => `${name} = '${value}'\n`);
    await appendFile(join(folder, 'postgresql.conf'), lines.join(''));
    return new OwnPostgres(folder, port, binaries, account);
  }

  /** An empty folder that belongs to the account of PostgreSQL, for an archive or a restored cluster. */
  static async makeFolder(): Promise<string> {
    return folderFor(await chooseAccount(NO_CLUSTER));
  }

  /** A cluster like this one, on a folder into which a backup was restored. */
  onRestored(folder: string): Promise<OwnPostgres> {
    return OwnPostgres.#on(folder, {}, { binaries: this.#binaries, account: this.#account });
  }

  /** Runs commands of the operator in a shell, with the account of PostgreSQL. */
  async runCommands(commands: string): Promise<void> {
    const { PATH } = process.env;
    await promisify(execFile)('sh', ['-ec', commands], { ...spawnAs(this.#account), cwd: this.folder, env: { PATH } });
  }

  get url(): string {
    return this.urlAt(`127.0.0.1:${this.port}`);
  }

  /** The URL through another port, or through several hosts. */
  urlAt(hosts: string): string {
    return `postgres://till:${PASSWORD}@${hosts}/postgres`;
  }

  /** One connection for the test itself. */
  async ask<Row>(ask: (sql: postgres.Sql) => Promise<Row>, { replicates = false } = {}): Promise<Row> {
    const connection = replicates ? { replication: 'true' } : {};
    const sql = postgres(this.url, { max: 1, fetch_types: false, onnotice: () => {}, connection });
    try {
      return await ask(sql);
    } finally {
      await sql.end({ timeout: 0 });
    }
  }

  async start(): Promise<void> {
    this.#output = '';
    const child = spawn(this.#binaries.postgres, ['-D', this.folder], {
      ...spawnAs(this.#account),
      cwd: this.folder,
      env: { LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    while (!/^(?:ready|standby)/.test((await this.#lockFile()).split('\n')[7] ?? '')) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${this.#output}`);
      await sleep(10);
    }
  }

  /** Stops it as `pg_ctl stop -m` does, or kills it. */
  async stop(mode: keyof typeof SIGNALS = 'fast'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    if (mode === 'kill' && child.pid !== undefined) await signalWithNote(child.pid, SIGNALS[mode]);
    else child.kill(SIGNALS[mode]);
    await ended;
    await this.#untilAllEnded();
  }

  /** Creates a standby of this cluster. It copies the files, so this cluster must not have been started. */
  async makeStandby(name: string): Promise<OwnPostgres> {
    const folder = await folderFor(this.#account);
    await copyAll(`${this.folder}/.`, folder);
    const info = `host=127.0.0.1 port=${this.port} user=till password=${PASSWORD} application_name=${name}`;
    await this.#write(join(folder, 'standby.signal'), '');
    const settings = { primary_conninfo: info, synchronous_standby_names: '' };
    return OwnPostgres.#on(folder, settings, { binaries: this.#binaries, account: this.#account });
  }

  /** A base backup as `pg_basebackup -Ft -z -X fetch -c fast` asks for it. PostgreSQL writes it into the folder itself. */
  async backUp(folder: string): Promise<void> {
    const options = "CHECKPOINT 'fast', WAL true, COMPRESSION 'gzip', TARGET 'server'";
    const command = `BASE_BACKUP (${options}, TARGET_DETAIL '${folder}')`;
    await this.ask(
      async (sql) => {
        for await (const _progress of await sql.unsafe(command).simple().readable());
      },
      { replicates: true },
    );
  }

  /** Adds a file that only PostgreSQL can read to the folder of the cluster, or replaces one. */
  write(name: string, text: string): Promise<void> {
    return this.#write(join(this.folder, name), text);
  }

  async #write(path: string, text: string): Promise<void> {
    await writeFile(path, text, { mode: 0o600 });
    if (this.#account) await chown(path, this.#account.uid, this.#account.gid);
  }

  #lockFile(): Promise<string> {
    return readFile(join(this.folder, 'postmaster.pid'), 'utf8').catch(() => '');
  }

  /**
   * Processes of a killed PostgreSQL end when they notice it. The next start fails while one remains. The title of a child has the
   * name of the cluster; before it has a title, it has the arguments of the postmaster.
   */
  async #untilAllEnded(): Promise<void> {
    for (;;) {
      const { stdout } = await promisify(execFile)('ps', ['-axo', 'args=']);
      if (!stdout.includes(this.folder) && !stdout.includes(`postgres: ${nameOf(this.folder)}: `)) break;
      await sleep(20);
    }
    await rm(join(this.folder, 'postmaster.pid'), { force: true });
  }
}

/** The name of a cluster: that of the folder which was made for it. */
function nameOf(folder: string): string {
  return basename(dirname(folder));
}

/** A folder inside one that the account may enter. */
async function folderFor(account: SystemAccount | undefined): Promise<string> {
  const parent = await newFolder();
  await chmod(parent, 0o755);
  const folder = join(parent, 'cluster');
  await mkdir(folder, { mode: 0o700 });
  if (account) await chown(folder, account.uid, account.gid);
  return folder;
}

async function initialise(folder: string, binaries: Binaries, account: SystemAccount | undefined): Promise<void> {
  const passwordFile = `${folder}.password`;
  await writeFile(passwordFile, PASSWORD, { mode: 0o644 });
  const options = ['--username=till', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'];
  await promisify(execFile)(
    binaries.initdb,
    [`--pgdata=${folder}`, ...options, '--locale=C', '--no-sync', '--no-instructions', '--set=fsync=off'],
    { ...spawnAs(account), cwd: folder, env: { LC_ALL: 'C' } },
  );
  const settings = ["listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", 'shared_buffers = 32MB'];
  await appendFile(join(folder, 'postgresql.conf'), `${settings.join('\n')}\n`);
}
