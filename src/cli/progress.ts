/** Reports the progress of a long command: a bar on a terminal, otherwise a line every few seconds. */

const BAR_WIDTH = 24;
const BAR_EVERY_MS = 200;
const LINE_EVERY_MS = 5000;

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface Progress {
  readonly total: number;
  readonly done: number;
  readonly elapsedMs: number;
}

/** For example: 412,000 of 1,000,000 payments, 6,210/s, 1 min 35 s left. */
export function describeProgress({ total, done, elapsedMs }: Progress, noun: string): string {
  const perSecond = elapsedMs > 0 ? (done / elapsedMs) * 1000 : 0;
  const left = perSecond > 0 ? `${printSeconds(Math.max(total - done, 0) / perSecond)} left` : 'starting';
  return `${count(done)} of ${count(total)} ${noun}, ${count(perSecond)}/s, ${left}`;
}

export function drawBar({ total, done }: Pick<Progress, 'total' | 'done'>): string {
  const part = Math.min(done / Math.max(total, 1), 1);
  const filled = Math.round(part * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${String(Math.floor(part * 100)).padStart(3)}%`;
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function printSeconds(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export class ProgressReport {
  readonly #output: Output;
  readonly #noun: string;
  readonly #total: number;
  readonly #startedAt = performance.now();
  #done = 0;
  #shownAt = this.#startedAt;

  constructor(output: Output, { noun, total }: { readonly noun: string; readonly total: number }) {
    this.#output = output;
    this.#noun = noun;
    this.#total = total;
  }

  add(more: number): void {
    this.#done += more;
    const since = performance.now() - this.#shownAt;
    if (since < (this.#output.isTTY ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
    this.#shownAt = performance.now();
    const progress = { total: this.#total, done: this.#done, elapsedMs: this.#shownAt - this.#startedAt };
    const text = describeProgress(progress, this.#noun);
    this.#output.write(this.#output.isTTY ? `\r${drawBar(progress)} ${text}\u001b[K` : `${text}\n`);
  }

  /** For example: 2 businesses, 1,000 payments in 3 s (333/s). */
  summary(created: string): string {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const speed = `${count(this.#done / seconds)}/s`;
    return `${created}, ${count(this.#done)} ${this.#noun} in ${printSeconds(seconds)} (${speed}).`;
  }

  /** Clears the bar so that other output can be printed; the next `add` draws it again. */
  clear(): void {
    if (this.#output.isTTY) this.#output.write('\r\u001b[K');
  }
}
