export interface RunFolder {
  readonly folder: string;
  /** Ends the processes that still run in the folder, and removes it. */
  close(): Promise<void>;
}

export const RUNNER_LINK: string;

/**
 * Creates the folder of a run, and names it to all child processes as TILLHOUSE_TEST_FOLDER, with a folder inside it as TMPDIR. A folder
 * that the test runner has elsewhere is removed together with it.
 */
export function openRunFolder(runnerFolder?: string): Promise<RunFolder>;
