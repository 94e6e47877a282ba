/** The shared memory that a PostgreSQL uses. */
export function sharedMemoryOf(pid: number): Promise<string[]>;

/** Kills or signals a PostgreSQL. The end of the run removes the shared memory that it leaves behind. */
export function signalWithNote(pid: number, signal: NodeJS.Signals, runFolder?: string): Promise<void>;

/** For a PostgreSQL that something else is about to kill. */
export function noteSharedMemory(pid: number, runFolder?: string): Promise<void>;

export function removeNotedMemory(runFolder: string): Promise<void>;
