/**
 * Adds up the metrics of several processes so that no counter falls: what a process has counted stays in the sum after it ended, and one
 * that does not answer in time counts with what it said last. Runs in the primary.
 */
import { addUpSamples, type Sample } from './meter.js';

export class MetricTotals {
  /** What each process said last. */
  readonly #last = new Map<object, Sample>();
  readonly #gone = new WeakSet<object>();
  #ended: Promise<Sample> = Promise.resolve([]);

  /** `answers` are the samples of the processes that answered just now. */
  async addUp(answers: ReadonlyMap<object, unknown>): Promise<readonly Sample[]> {
    for (const [process, sample] of answers) this.keepLast(process, sample);
    const last = [...this.#last.values()];
    return [...last, await this.#ended];
  }

  keepLast(process: object, sample: unknown): void {
    if (!this.#gone.has(process)) this.#last.set(process, sample as Sample);
  }

  /** Keeps what the process has counted. A process that was killed has counted a little more than it said last. */
  end(process: object): void {
    const last = this.#last.get(process);
    this.#last.delete(process);
    this.#gone.add(process);
    if (last) this.#ended = this.#ended.then((ended) => addUpSamples([ended, last.filter(isCount)]));
  }
}

/** Gauges say how it is now, so they end with the process. */
function isCount({ type }: Sample[number]): boolean {
  return String(type) !== 'gauge';
}
