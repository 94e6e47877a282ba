/** Counts the ticks in which a response was awaited and no byte arrived. A blocked process runs no ticks, so it counts none. */
export class SilenceCounter {
  ticks = 0;
  #wasAwaited = false;

  /** Called at every tick. A tick counts only if the response was awaited for the whole tick. */
  count(isAwaited: boolean, hasReceivedBytes: boolean): void {
    this.ticks = isAwaited && this.#wasAwaited && !hasReceivedBytes ? this.ticks + 1 : 0;
    this.#wasAwaited = isAwaited;
  }
}
