/** A process that serves, as one of several: its link to the primary, and over it to the others. */
import cluster from 'node:cluster';
import type { Peers, PeerTopic } from '../../base/peers.js';
import { UsageError } from '../../base/usage-error.js';
import type { ProcessStart, ToPrimary, ToProcess } from './messages.js';

/** Whether this process was started by a primary. */
export function isServingProcess(): boolean {
  return cluster.isWorker;
}

export class PrimaryLink implements Peers {
  readonly #responders = new Map<PeerTopic, (value: never) => unknown>();
  readonly #questions = new Map<number, (values: readonly unknown[]) => void>();
  #lastId = 0;
  #onStart: (start: ProcessStart<unknown>) => void = () => {};
  #onEnd: (how: 'retire' | 'stop') => void = () => {};
  /** Resolves when the process has to end. */
  readonly ended = new Promise<'retire' | 'stop'>((resolve) => {
    this.#onEnd = resolve;
  });

  constructor() {
    process.on('message', (message: ToProcess) => this.#receive(message));
    // Terminals and service managers signal the whole process group. The primary decides what happens.
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {});
    process.on('SIGTERM', () => this.#onEnd('retire'));
  }

  /** Asks the primary for what it has prepared. */
  async begin<Prepared>(): Promise<ProcessStart<Prepared>> {
    const start = new Promise<ProcessStart<unknown>>((resolve) => {
      this.#onStart = resolve;
    });
    void this.#send({ type: 'hello' });
    return (await start) as ProcessStart<Prepared>;
  }

  reportReady(localUrl: string): void {
    void this.#send({ type: 'ready', localUrl });
  }

  /** The primary explains it to the operator. */
  reportFailure(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    void this.#send({ type: 'failed', message, isUsage: error instanceof UsageError });
  }

  tell(topic: PeerTopic, value: unknown): void {
    void this.#send({ type: 'tell', topic, value });
  }

  ask(topic: PeerTopic, value: unknown): Promise<readonly unknown[]> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#questions.set(id, resolve);
      void this.#send({ type: 'ask', id, topic, value });
    });
  }

  on(topic: PeerTopic, respond: (value: never) => unknown): void {
    this.#responders.set(topic, respond);
  }

  sendLastMetrics(value: unknown): Promise<void> {
    return this.#send({ type: 'last metrics', value });
  }

  /** Ends a process that could not start: nothing else keeps it running. */
  disconnect(): void {
    if (process.connected) process.disconnect();
  }

  #receive(message: ToProcess): void {
    if (message.type === 'start') this.#onStart(message.start);
    else if (message.type === 'retire' || message.type === 'stop') this.#onEnd(message.type);
    else if (message.type === 'told') void this.#responders.get(message.topic)?.(message.value as never);
    else if (message.type === 'asked') void this.#answer(message.id, message.topic, message.value);
    else if (message.type === 'answers') {
      this.#questions.get(message.id)?.(message.values);
      this.#questions.delete(message.id);
    }
  }

  async #answer(id: number, topic: PeerTopic, value: unknown): Promise<void> {
    const respond = this.#responders.get(topic);
    const answer = await Promise.resolve(respond?.(value as never)).catch(() => undefined);
    void this.#send({ type: 'answer', id, value: answer });
  }

  /** Without a primary this process ends, so a message that is lost then does not matter. */
  #send(message: ToPrimary): Promise<void> {
    return new Promise((resolve) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
      else resolve();
    });
  }
}
