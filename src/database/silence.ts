/** Counts the ticks in which somebody waited for something and nothing was heard; a process that was held up counts none. */
export class Silence {
  ticks = 0;
  #wasAwaited = false;

  /** Called at every tick. What was awaited for a part of it only does not count yet. */
  count(isAwaited: boolean, isHeard: boolean): void {
    this.ticks = isAwaited && this.#wasAwaited && !isHeard ? this.ticks + 1 : 0;
    this.#wasAwaited = isAwaited;
  }
}
