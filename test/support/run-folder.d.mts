export interface RunFolder {
  readonly folder: string;
  /** Ends the processes that still run in the folder, and removes it. */
  close(): Promise<void>;
}

/** Creates the folder of a run, and names it to all child processes as TILLHOUSE_TEST_FOLDER, with a folder inside it as TMPDIR. */
export function openRunFolder(): Promise<RunFolder>;
