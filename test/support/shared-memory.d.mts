/** The shared memory that a PostgreSQL uses. */
export function sharedMemoryOf(pid: number): Promise<string[]>;

/** Call it before PostgreSQL is killed: the end of the run then removes its shared memory. */
export function noteSharedMemory(pid: number, runFolder?: string): Promise<void>;

export function removeNotedMemory(runFolder: string): Promise<void>;
