export interface Node {
  readonly url: string;
}

export function findNodes(citusUrl: string): Promise<readonly Node[]>;
export function createClusterDatabase(nodes: readonly Node[], name: string): Promise<void>;
export function makeTemplate(nodes: readonly Node[], name: string): Promise<void>;
