/**
 * Starts the processes that serve, replaces those that die, and restarts all of them one by one. Runs in the primary, which accepts
 * connections and hands them out in turn, so that a restart refuses none (decision 0181).
 */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PeerTopic } from '../base/peers.js';
import { SECOND_MS } from '../base/time.js';
import { UsageError } from '../base/usage-error.js';
import { closeLostConnections } from './handed-out.js';
import type { PartStart, ToPart, ToPrimary } from './messages.js';
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
  readonly start: (usedPort: number | undefined) => PartStart<unknown>;
  /** Keeps what processes have counted after they ended. */
  readonly counts?: Counts | undefined;
}

/** What processes have counted. */
export interface Counts {
  /** The last metrics of a process that is about to end. */
  leave(process: object, value: unknown): void;
  /** Nothing more comes from the process. */
  end(process: object): void;
}

class Part implements Member {
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

  send(message: ToPart): void {
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
  readonly #parts = new Set<Part>();
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
    const exec = fileURLToPath(new URL('../main.js', import.meta.url));
    cluster.setupPrimary({ exec, args: [...options.args], serialization: 'advanced' });
  }

  /** Resolves with the local URL when all processes serve. */
  async start(): Promise<string> {
    const parts = Array.from({ length: this.#options.count }, () => this.#fork());
    try {
      await Promise.all(parts.map((part) => this.#untilReady(part)));
    } catch (error) {
      await this.stop();
      throw error;
    }
    for (const part of parts) this.#watch(part);
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
    await Promise.all([...this.#parts].map((part) => part.end('stop', this.#options.stopDelayMs)));
  }

  async #restartAll(): Promise<void> {
    const { log } = this.#options;
    log.info({ processes: this.#parts.size }, 'processes: restarting one by one');
    for (const old of [...this.#parts]) {
      if (this.#stopping.signal.aborted) return;
      if (!this.#parts.has(old) || old.isEnding) continue;
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
    log.info({ processes: this.#parts.size }, 'processes: restarted');
  }

  #fork(): Part {
    const part = new Part(cluster.fork());
    this.#parts.add(part);
    part.worker.on('message', (message: ToPrimary) => this.#receive(part, message));
    void part.exited.then(() => {
      this.#parts.delete(part);
      this.#relay.remove(part);
    });
    // Not at `exit`: messages can come after it. Not at `disconnect`: it never comes if a connection was on its way to the process.
    part.worker.process.once('close', () => this.#options.counts?.end(part));
    return part;
  }

  #receive(part: Part, message: ToPrimary): void {
    if (message.type === 'hello') {
      // Processes that may listen on any port share one. It is free when all have died, so the next ones ask for the same port.
      const isAlone = [...this.#parts].every(({ isReady }) => !isReady);
      if (isAlone && this.#localUrl !== undefined) this.#usedPort = Number(new URL(this.#localUrl).port);
      part.send({ type: 'start', start: this.#options.start(this.#usedPort) });
    } else if (message.type === 'ready') {
      this.#localUrl ??= message.localUrl;
      if (message.localUrl === this.#localUrl) this.#admit(part);
      else this.#refuse(part, message.localUrl);
    } else if (message.type === 'failed') {
      part.failure = message.isUsage ? new UsageError(message.message) : new Error(message.message);
    } else if (message.type === 'last metrics') {
      this.#options.counts?.leave(part, message.value);
    } else {
      this.#relay.receive(part, message);
    }
  }

  #admit(part: Part): void {
    part.isReady = true;
    this.#relay.add(part);
    part.worker.emit('serving');
  }

  /** Ends a process with another port than the others had: all of them died before it listened. */
  #refuse(part: Part, localUrl: string): void {
    part.failure = new Error(`A process listened at ${localUrl} instead of ${this.#localUrl}.`);
    void part.end('stop');
  }

  async #untilReady(part: Part): Promise<void> {
    const ready = new Promise<void>((resolve) => part.worker.once('serving', resolve));
    await Promise.race([
      ready,
      part.exited.then(({ code, signal }) => {
        throw part.failure ?? new Error(`A process ended while it was started (${signal ?? code}).`);
      }),
    ]);
    this.#options.log.info({ process: part.pid }, 'process: ready');
  }

  /** Replaces it when it dies. */
  #watch(part: Part): void {
    void part.exited.then(async ({ code, signal }) => {
      const { log } = this.#options;
      if (part.isEnding || this.#stopping.signal.aborted) return void log.info({ process: part.pid }, 'process: ended');
      const isSteady = performance.now() - part.startedAt > STEADY_MS;
      this.#quickExits = isSteady ? 0 : this.#quickExits + 1;
      log.error({ process: part.pid, code, signal }, 'process: died, will be replaced');
      await this.#replace();
    });
  }

  async #replace(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const pauseMs = this.#quickExits === 0 ? 0 : Math.min(MIN_PAUSE_MS * 2 ** (this.#quickExits - 1), MAX_PAUSE_MS);
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      if (this.#stopping.signal.aborted) return;
      const part = this.#fork();
      try {
        await this.#untilReady(part);
        return this.#watch(part);
      } catch (error) {
        this.#quickExits += 1;
        this.#options.log.error({ reason: (error as Error).message }, 'process: start failed, will retry');
      }
    }
  }
}
