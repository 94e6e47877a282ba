/** Runs the program as people run it: as child processes on folders of their own, of which nothing is left behind. */
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
import type { ServerRecord } from '../../src/server-file.js';
import { buildProgram } from './built.js';
import { madeOnce } from './folders.js';
import { type Answer, type CallOptions, callApi } from './http.js';
import { processesIn } from './processes.mjs';

export { processesIn };

const folders: string[] = [];
const running = new Set<Program>();
const leftovers: string[] = [];

/** The net below each test, which stops what it started: here nothing may be left, and what is left is a failure. */
export async function expectNothingLeft(): Promise<void> {
  const used = folders.splice(0);
  const alive = (await Promise.all(used.map((folder) => processesIn(folder)))).flat();
  for (const { pid } of alive) kill(pid, 'SIGKILL');
  for (const program of running) await program.exited;
  for (const path of [...used, ...leftovers.splice(0)]) {
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
  expect(alive).toEqual([]);
}

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tillhouse-process-'));
  folders.push(folder);
  return folder;
}

/** Nothing of ours that would set the program up: only what a login shell has anyway. */
export function environment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env;
  return {
    PATH,
    ...(TMPDIR !== undefined && { TMPDIR }),
    HOME: '/nonexistent',
    // Making the demo's history takes longer than most tests; those that look at it ask for it.
    TILLHOUSE_DEMO_HISTORY: 'off',
    // npm stays on this machine and leaves no files of its own.
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_logs_max: '0',
    ...extra,
  };
}

export interface ProgramOptions {
  /** Absent: the built program. */
  readonly command?: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  /** What it reads from standard input; absent: nothing, at once. */
  readonly input?: string;
  /** A process group of its own, as a terminal gives it to what one starts there. */
  readonly detached?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child process with all it has said. */
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

  /** What a terminal sends on Ctrl-C: to everybody in the group. */
  interruptGroup(): void {
    process.kill(-this.pid, 'SIGINT');
  }

  /** Waits until it has said something; the text it has said where it ends before that is the failure. */
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

/** Runs a command to its end. */
export async function run(args: readonly string[], options?: ProgramOptions): Promise<Result> {
  const program = await Program.start(args, options);
  const exit = await program.exited;
  return { ...exit, stdout: program.stdout, stderr: program.stderr };
}

export interface ServeOptions extends ProgramOptions {
  /** Absent: one that does not exist yet. */
  readonly dataDir?: string;
  readonly args?: readonly string[];
}

/** A server that has said that it is ready. */
export class Server {
  readonly program: Program;
  readonly baseUrl: string;
  readonly dataDir: string;

  private constructor(program: Program, baseUrl: string, dataDir: string) {
    this.program = program;
    this.baseUrl = baseUrl;
    this.dataDir = dataDir;
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

  get port(): number {
    return Number(new URL(this.baseUrl).port);
  }

  call(method: string, path: string, options?: CallOptions): Promise<Answer> {
    return callApi(this.baseUrl, method, path, options);
  }

  demo(): Promise<DemoFile> {
    return readDemo(this.dataDir);
  }

  async record(): Promise<ServerRecord> {
    return JSON.parse(await readFile(join(this.dataDir, 'server.json'), 'utf8')) as ServerRecord;
  }

  /** Ends it as its user does, and sees that it ended well and took everything along. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.program.signal(signal);
    expect(await this.program.exited, this.program.stderr).toEqual({ code: 0, signal: null });
    expect(await processesIn(this.dataDir)).toEqual([]);
  }

  /** Ends it as a crash does; its PostgreSQL goes on. */
  async crash(): Promise<void> {
    this.program.signal('SIGKILL');
    await this.program.exited;
  }
}

/** A folder that does not exist yet, below one that only we may enter. */
export async function newDataDir(name = 'data'): Promise<string> {
  return join(await newFolder(), name);
}

/** A data folder with the demo, as a first start and a stop leave it: copied, since making one takes a second or two. */
export async function usedDataDir(name?: string): Promise<string> {
  const finished = await madeOnce('used-data', async (folder) => {
    await (await Server.start({ dataDir: join(folder, 'data') })).stop();
  });
  const dataDir = await newDataDir(name);
  await copyAll(join(finished, 'data'), dataDir);
  return dataDir;
}

/** With owners, rights and links as they are. */
export async function copyAll(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

export async function readDemo(dataDir: string): Promise<DemoFile> {
  return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as DemoFile;
}

export async function postmasterPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** As the system's memory killer does it. */
export async function killPostmaster(dataDir: string): Promise<void> {
  const pid = await postmasterPid(dataDir);
  // PostgreSQL's next start removes the shared memory of a killed one, but not always all of it.
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '');
  for (const [segment] of maps.matchAll(/\/dev\/shm\/PostgreSQL\.\d+/g)) leftovers.push(segment);
  kill(pid, 'SIGKILL');
}

/** Waits for something that happens in another process; the test's time limit is the only one. */
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

/** A request that the server has taken up, and whose body it has yet to see. */
export interface RequestUnderWay {
  finish(): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Resolves when the connection is gone without an answer. */
  untilBroken(): Promise<void>;
}

export async function beginRequest(
  { baseUrl }: Server,
  { method, path, token, body }: { method: string; path: string; token: string; body: unknown },
): Promise<RequestUnderWay> {
  const text = JSON.stringify(body);
  const outgoing: ClientRequest = request(new URL(path, baseUrl), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      expect: '100-continue', // answered by the server as soon as it has the headers
      connection: 'keep-alive',
    },
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => {}); // whoever finishes the request hears of it
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

/** One line for people: no stack, no noise around it. */
export function expectOneLine(stderr: string): void {
  expect(stderr).toMatch(/^tillhouse: .+\n$/);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
