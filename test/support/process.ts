/** Runs the program as child processes, each on its own folder, and checks that nothing is left behind. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { DemoFile } from '../../src/demo/demo-file.js';
import type { ServerRecord } from '../../src/server/server-file.js';
import { buildProgram } from './built.js';
import { createOnce } from './folders.js';
import { type ApiResponse, type CallOptions, callApi } from './http.js';
import { processesIn } from './processes.mjs';
import { signalWithNote } from './shared-memory.mjs';

export { processesIn };

const folders: string[] = [];
const running = new Set<Program>();

/** Runs after each test: a process or folder that the test left behind is a failure. */
export async function expectNothingLeft(): Promise<void> {
  const used = folders.splice(0);
  const alive = await processesIn(used);
  for (const { pid } of alive) await signalWithNote(pid, 'SIGKILL');
  for (const program of running) await program.exited;
  for (const folder of used) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  expect(alive).toEqual([]);
}

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tillhouse-process-'));
  folders.push(folder);
  return folder;
}

/** The variables of a login shell only, so that no setting of the developer's environment reaches the program. */
export function environment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env;
  return {
    PATH,
    ...(TMPDIR !== undefined && { TMPDIR }),
    HOME: join(tmpdir(), 'home'), // npm keeps a cache there, which goes with the folder of the run
    // Creating the demo's history takes longer than most tests. Tests that read it request it.
    TILLHOUSE_DEMO_HISTORY: 'off',
    // npm stays offline and writes no files of its own.
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_logs_max: '0',
    ...extra,
  };
}

export interface ProgramOptions {
  /** Absent: the program. */
  readonly command?: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  /** Standard input. Absent: empty and closed. */
  readonly input?: string;
  /** Runs in a new process group, as a terminal starts a command. */
  readonly detached?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child process and its output. */
export class Program {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    if (child.pid === undefined) throw new Error('the process did not start');
    this.pid = child.pid;
    this.#child = child;
    running.add(this);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.exited = once(child, 'close').then(([code, signal]) => {
      running.delete(this);
      return { code, signal };
    });
  }

  static async start(args: readonly string[], options: ProgramOptions = {}): Promise<Program> {
    const { cwd, env, uid, input, detached = false } = options;
    const [command, ...first] = options.command ?? [process.execPath, join(await buildProgram(), 'dist/main.js')];
    const child = spawn(command, [...first, ...args], {
      cwd: cwd ?? (await newFolder()),
      env: environment(env),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached,
      ...(uid !== undefined && { uid, gid: uid }),
    });
    if (input !== undefined) child.stdin?.end(input);
    return new Program(child);
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Signals the whole process group, as a terminal does on Ctrl-C. */
  interruptGroup(): void {
    process.kill(-this.pid, 'SIGINT');
  }

  /** Waits for a text in its output. If the process ends first, the failure shows the output. */
  async said(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stdout);
      if (found) return found;
      if (this.hasExited) throw new Error(`ended without ${pattern}:\n${this.stdout}\n${this.stderr}`);
      await sleep(10);
    }
  }
}

export interface Result extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command until it exits. */
export async function run(args: readonly string[], options?: ProgramOptions): Promise<Result> {
  const program = await Program.start(args, options);
  const exit = await program.exited;
  return { ...exit, stdout: program.stdout, stderr: program.stderr };
}

export interface ServeOptions extends ProgramOptions {
  /** Absent: a new folder. */
  readonly dataDir?: string;
  readonly args?: readonly string[];
}

/** A server on a data folder. */
export abstract class RunningServer {
  readonly baseUrl: string;
  readonly dataDir: string;

  protected constructor(baseUrl: string, dataDir: string) {
    this.baseUrl = baseUrl;
    this.dataDir = dataDir;
  }

  get port(): number {
    return Number(new URL(this.baseUrl).port);
  }

  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse> {
    return callApi(this.baseUrl, method, path, options);
  }

  demo(): Promise<DemoFile> {
    return readDemo(this.dataDir);
  }

  async record(): Promise<ServerRecord> {
    return JSON.parse(await readFile(join(this.dataDir, 'server.json'), 'utf8')) as ServerRecord;
  }
}

/** A process of its own that has reported that it is ready. */
export class Server extends RunningServer {
  readonly program: Program;

  private constructor(program: Program, baseUrl: string, dataDir: string) {
    super(baseUrl, dataDir);
    this.program = program;
  }

  static async start(options: ServeOptions = {}): Promise<Server> {
    const dataDir = options.dataDir ?? (await newDataDir());
    const command = options.command === undefined ? ['serve'] : [];
    const args = [...command, '--port', '0', '--data-dir', dataDir, ...(options.args ?? [])];
    return Server.ready(await Program.start(args, options), dataDir);
  }

  static async ready(program: Program, dataDir: string): Promise<Server> {
    const [, baseUrl = ''] = await program.said(/^Tillhouse is ready at (\S+) .*\n[\s\S]*^(?:Sandbox|Production).*\n/m);
    return new Server(program, baseUrl, dataDir);
  }

  /** Stops it with SIGTERM and expects a clean exit that leaves no process behind. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.program.signal(signal);
    expect(await this.program.exited, this.program.stderr).toEqual({ code: 0, signal: null });
    expect(await processesIn(this.dataDir)).toEqual([]);
  }

  /** Kills it; its PostgreSQL keeps running. */
  async crash(): Promise<void> {
    this.program.signal('SIGKILL');
    await this.program.exited;
  }
}

/** The path of a folder that does not exist yet, inside one that only this user may enter. */
export async function newDataDir(name = 'data'): Promise<string> {
  return join(await newFolder(), name);
}

/** A data folder with the demo, as a first start and a stop leave it. It is copied, since creating one takes one or two seconds. */
export async function usedDataDir(name?: string): Promise<string> {
  const finished = await createOnce('used-data', async (folder) => {
    await (await Server.start({ dataDir: join(folder, 'data') })).stop();
  });
  const dataDir = await newDataDir(name);
  await copyAll(join(finished, 'data'), dataDir);
  return dataDir;
}

/** A data folder with an empty database, for servers without the demo. It is copied too. */
export async function migratedDataDir(): Promise<string> {
  const finished = await createOnce('migrated-data', async (folder) => {
    const result = await run(['migrate', '--data-dir', join(folder, 'data')]);
    expect(result).toMatchObject({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
    expect(await processesIn(folder)).toEqual([]);
  });
  const dataDir = await newDataDir();
  await copyAll(join(finished, 'data'), dataDir);
  return dataDir;
}

/** Keeps owners, permissions and links. */
export async function copyAll(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

export async function readDemo(dataDir: string): Promise<DemoFile> {
  return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as DemoFile;
}

export async function postmasterPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Kills it as the kernel's out-of-memory killer does. */
export async function killPostmaster(dataDir: string): Promise<void> {
  const pid = await postmasterPid(dataDir);
  await signalWithNote(pid, 'SIGKILL');
}

/** Waits for an event in another process. Only the test's timeout limits the wait. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}

export function refusesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(true));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}

/** A request whose headers the server has received, but not its body. */
export interface RequestInFlight {
  finish(): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Resolves when the connection closes without a response. */
  untilBroken(): Promise<void>;
}

export async function beginRequest(
  { baseUrl }: RunningServer,
  { method, path, token, body }: { method: string; path: string; token: string; body: unknown },
): Promise<RequestInFlight> {
  const text = JSON.stringify(body);
  const outgoing: ClientRequest = request(new URL(path, baseUrl), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      expect: '100-continue', // the server responds as soon as it has the headers
      connection: 'keep-alive',
    },
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => {}); // `finish` reports it
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  return {
    untilBroken: () =>
      answered.then(
        () => Promise.reject(new Error('it was answered')),
        () => {},
      ),
    async finish() {
      outgoing.end(text);
      const [response] = await answered;
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      return { status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) };
    },
  };
}

/** Expects one line for people, without a stack. */
export function expectOneLine(stderr: string): void {
  expect(stderr).toMatch(/^tillhouse: .+\n$/);
}
