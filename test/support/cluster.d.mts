export interface Node {
  readonly url: string;
}

export function findNodes(citusUrl: string): Promise<readonly Node[]>;
export function createClusterDatabase(nodes: readonly Node[], name: string): Promise<void>;
export function makeTemplate(nodes: readonly Node[], name: string): Promise<void>;
export function dropAbandoned(nodes: readonly Node[]): Promise<void>;
export function dropRun(nodes: readonly Node[], runId: string): Promise<void>;
export function nameOf(runId: string, rest: string): string;
export function connectionOf(runId: string): string;
export function inDatabase(serverUrl: string, name: string): string;
