/** The URLs of the servers on which a run creates its databases: one, or the nodes of a cluster with the coordinator first. */
type Servers = readonly [string, ...string[]];

export interface RunDatabases {
  /** The names of all databases of the run begin with this. */
  readonly databasePrefix: string;
  /** Lets the next run drop what is left. */
  end(): Promise<void>;
}

export function beginRun(servers: Servers, folder: string): Promise<RunDatabases>;
export function dropRun(servers: Servers, folder: string): Promise<void>;
export function dropDatabase(
  sql: { readonly unsafe: (text: string) => PromiseLike<unknown> },
  name: string,
): Promise<void>;
export function inDatabase(serverUrl: string, name: string): string;
