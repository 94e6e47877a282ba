/**
 * Starts the processes that serve, replaces those that die, and restarts all of them one by one. Runs in the primary, which accepts
 * connections and hands them out in turn, so that a restart refuses none (decision 0181).
 */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PeerTopic } from '../../base/peers.js';
import { SECOND_MS } from '../../base/time.js';
import { UsageError } from '../../base/usage-error.js';
import { closeLostConnections } from './handed-out.js';
import type { ProcessStart, ToPrimary, ToProcess } from './messages.js';
import { type Member, Relay } from './relay.js';

/** A process that lived for this long is replaced at once. Others are replaced after a pause, which doubles. */
const STEADY_MS = 30 * SECOND_MS;
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30 * SECOND_MS;
/** Longer than a process needs to finish. */
const END_LIMIT_MS = 25 * SECOND_MS;

export interface SupervisorLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface SupervisorOptions {
  readonly count: number;
  readonly args: readonly string[];
  readonly log: SupervisorLog;
  /** A process that stops serves for this long before it begins to finish. */
  readonly stopDelayMs: number;
  /** What every process gets. If it may listen on any port, it takes `usedPort`. */
  readonly start: (usedPort: number | undefined) => ProcessStart<unknown>;
  /** Keeps what processes have counted after they ended. */
  readonly totals?: Totals | undefined;
}

/** What processes have counted. */
export interface Totals {
  /** The last metrics of a process that is about to end. */
  keepLast(process: object, value: unknown): void;
  /** Nothing more comes from the process. */
  end(process: object): void;
}

class ServingProcess implements Member {
  readonly worker: Worker;
  readonly startedAt = performance.now();
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  isReady = false;
  /** It was told to end, so it is not replaced when it does. */
  isEnding = false;
  failure: Error | undefined;

  constructor(worker: Worker) {
    this.worker = worker;
    closeLostConnections(worker);
    this.exited = new Promise((resolve) => {
      worker.once('exit', (code, signal) => resolve({ code, signal }));
    });
  }

  get pid(): number | undefined {
    return this.worker.process.pid;
  }

  send(message: ToProcess): void {
    if (this.worker.isConnected()) this.worker.send(message, undefined, () => {});
  }

  /** Tells the process to end, and kills it if it does not end in time. */
  async end(how: 'retire' | 'stop', delayMs = 0): Promise<void> {
    this.isEnding = true;
    this.send({ type: how });
    const timer = setTimeout(() => this.worker.process.kill('SIGKILL'), END_LIMIT_MS + delayMs);
    await this.exited;
    clearTimeout(timer);
  }
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #processes = new Set<ServingProcess>();
  readonly #relay = new Relay();
  readonly #stopping = new AbortController();
  #quickExits = 0;
  #localUrl: string | undefined;
  /** The port of the earlier processes, if all of them have died. */
  #usedPort: number | undefined;
  #restarting: Promise<void> | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    cluster.schedulingPolicy = cluster.SCHED_RR;
    const exec = fileURLToPath(new URL('../../main.js', import.meta.url));
    cluster.setupPrimary({ exec, args: [...options.args], serialization: 'advanced' });
  }

  /** Resolves with the local URL when all processes serve. */
  async start(): Promise<string> {
    const members = Array.from({ length: this.#options.count }, () => this.#fork());
    try {
      await Promise.all(members.map((member) => this.#untilReady(member)));
    } catch (error) {
      await this.stop();
      throw error;
    }
    for (const member of members) this.#watch(member);
    return this.#localUrl ?? '';
  }

  /** Replaces each process by a new one. The old one ends after the new one serves. Stops at the first that does not start. */
  restart(): Promise<void> {
    this.#restarting ??= this.#restartAll().finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  /** Asks all processes that serve. One that does not answer in time is left out. */
  ask(topic: PeerTopic): Promise<ReadonlyMap<object, unknown>> {
    return this.#relay.ask(topic, undefined);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#processes].map((member) => member.end('stop', this.#options.stopDelayMs)));
  }

  async #restartAll(): Promise<void> {
    const { log } = this.#options;
    log.info({ processes: this.#processes.size }, 'processes: restarting one by one');
    for (const old of [...this.#processes]) {
      if (this.#stopping.signal.aborted) return;
      if (!this.#processes.has(old) || old.isEnding) continue;
      const fresh = this.#fork();
      try {
        await this.#untilReady(fresh);
      } catch (error) {
        log.error(
          { reason: (error as Error).message },
          'processes: restart stopped, because a new process did not start',
        );
        return;
      }
      this.#watch(fresh);
      await old.end('retire');
    }
    log.info({ processes: this.#processes.size }, 'processes: restarted');
  }

  #fork(): ServingProcess {
    const member = new ServingProcess(cluster.fork());
    this.#processes.add(member);
    member.worker.on('message', (message: ToPrimary) => this.#receive(member, message));
    void member.exited.then(() => {
      this.#processes.delete(member);
      this.#relay.remove(member);
    });
    // Not at `exit`: messages can come after it. Not at `disconnect`: it never comes if a connection was on its way to the process.
    member.worker.process.once('close', () => this.#options.totals?.end(member));
    return member;
  }

  #receive(member: ServingProcess, message: ToPrimary): void {
    if (message.type === 'hello') {
      // Processes that may listen on any port share one. It is free when all have died, so the next ones ask for the same port.
      const isAlone = [...this.#processes].every(({ isReady }) => !isReady);
      if (isAlone && this.#localUrl !== undefined) this.#usedPort = Number(new URL(this.#localUrl).port);
      member.send({ type: 'start', start: this.#options.start(this.#usedPort) });
    } else if (message.type === 'ready') {
      this.#localUrl ??= message.localUrl;
      if (message.localUrl === this.#localUrl) this.#admit(member);
      else this.#refuse(member, message.localUrl);
    } else if (message.type === 'failed') {
      member.failure = message.isUsage ? new UsageError(message.message) : new Error(message.message);
    } else if (message.type === 'last metrics') {
      this.#options.totals?.keepLast(member, message.value);
    } else {
      this.#relay.receive(member, message);
    }
  }

  #admit(member: ServingProcess): void {
    member.isReady = true;
    this.#relay.add(member);
    member.worker.emit('serving');
  }

  /** Ends a process with another port than the others had: all of them died before it listened. */
  #refuse(member: ServingProcess, localUrl: string): void {
    member.failure = new Error(`A process listened at ${localUrl} instead of ${this.#localUrl}.`);
    void member.end('stop');
  }

  async #untilReady(member: ServingProcess): Promise<void> {
    const ready = new Promise<void>((resolve) => member.worker.once('serving', resolve));
    await Promise.race([
      ready,
      member.exited.then(({ code, signal }) => {
        throw member.failure ?? new Error(`A process ended while it was started (${signal ?? code}).`);
      }),
    ]);
    this.#options.log.info({ process: member.pid }, 'process: ready');
  }

  /** Replaces it when it dies. */
  #watch(member: ServingProcess): void {
    void member.exited.then(async ({ code, signal }) => {
      const { log } = this.#options;
      if (member.isEnding || this.#stopping.signal.aborted)
        return void log.info({ process: member.pid }, 'process: ended');
      const isSteady = performance.now() - member.startedAt > STEADY_MS;
      this.#quickExits = isSteady ? 0 : this.#quickExits + 1;
      log.error({ process: member.pid, code, signal }, 'process: died, will be replaced');
      await this.#replace();
    });
  }

  async #replace(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const pauseMs = this.#quickExits === 0 ? 0 : Math.min(MIN_PAUSE_MS * 2 ** (this.#quickExits - 1), MAX_PAUSE_MS);
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      if (this.#stopping.signal.aborted) return;
      const member = this.#fork();
      try {
        await this.#untilReady(member);
        return this.#watch(member);
      } catch (error) {
        this.#quickExits += 1;
        this.#options.log.error({ reason: (error as Error).message }, 'process: start failed, will retry');
      }
    }
  }
}
