/**
 * The nodes of a distributed database: which one a statement needs, and which ones do not respond. A statement is assigned to a node by
 * the merchant among its parameters, if the server has looked that merchant up. On a plain PostgreSQL there are no nodes.
 *
 * A node that refuses connections needs no help: its statements fail at once. One that is silent would keep every connection that is
 * sent to it, so it gets only one statement at a time until it responds. The others are refused.
 */
import type { Statement } from './driver.js';
import { codeOf, DatabaseUnavailable, unavailableReason } from './unavailable.js';

/** The pause between two statements that try whether a silent node responds. */
const TRY_MS = 1_000;
/** A node that has responded within this time is not silent. Longer than the time between two questions of `Health`. */
const RESPONDS_MS = 2_000;
/** The merchants whose shard is remembered. */
const MAX_REMEMBERED = 200_000;
/** The class of the code, and the text, of the error of Citus if it cannot reach a node. */
const CONNECTION_FAILURE = '08';
const REMOTE_NODE = /\bremote node (?:[^@\s]*@)?(\S+:\d+)/;

/** A part of a statement: its parameters, which can be parts themselves. */
interface Part {
  readonly args?: readonly unknown[];
}

export interface NodesOptions {
  /** The name of the node of each shard. */
  readonly listShardNodes: () => Promise<ReadonlyMap<string, string>>;
  /** Called once when a node no longer works. */
  readonly onLost: (node: string, error: unknown) => void;
  /** Called once when it works again. */
  readonly onRestored: (node: string) => void;
}

interface LostNode {
  isSilent: boolean;
  triedAt: number;
  isBeingTried: boolean;
}

export class Nodes {
  readonly #options: NodesOptions;
  /** The shard of each merchant. */
  readonly #shards = new Map<string, string>();
  #nodesOfShards: ReadonlyMap<string, string> = new Map();
  #reading: Promise<void> | undefined;
  readonly #lost = new Map<string, LostNode>();
  readonly #respondedAt = new Map<string, number>();

  constructor(options: NodesOptions) {
    this.#options = options;
  }

  shardOf(merchantId: string): string | undefined {
    return this.#shards.get(merchantId);
  }

  /** Remembers where the rows of a merchant are. */
  async learn(merchantId: string, shard: string): Promise<void> {
    if (this.#shards.size >= MAX_REMEMBERED) this.#shards.clear();
    this.#shards.set(merchantId, shard);
    if (!this.#nodesOfShards.has(shard)) await this.#readPlaces();
  }

  /** The node that a statement needs; undefined: unknown, or the whole database. */
  nodeOf({ args = [] }: Part): string | undefined {
    if (this.#shards.size === 0) return undefined;
    for (const arg of args) {
      const first = Array.isArray(arg) ? arg[0] : arg;
      const shard = typeof first === 'string' ? this.#shards.get(first) : undefined;
      const node = shard === undefined ? isPart(arg) && this.nodeOf(arg) : this.#nodesOfShards.get(shard);
      if (node) return node;
    }
    return undefined;
  }

  /** A merchant whose rows are on the node. */
  merchantOn(node: string): string | undefined {
    for (const [merchantId, shard] of this.#shards) if (this.#nodesOfShards.get(shard) === node) return merchantId;
    return undefined;
  }

  /** Whether the node has responded in the last time. Then a statement that takes long is only slow, or waits for a lock. */
  responds(node: string): boolean {
    return performance.now() - (this.#respondedAt.get(node) ?? Number.NEGATIVE_INFINITY) < RESPONDS_MS;
  }

  reportResponse(node: string): void {
    this.#respondedAt.set(node, performance.now());
  }

  /** Refuses a statement for a silent node, and returns why. Otherwise it may be sent. */
  admit(statement: Statement, node: string | undefined): DatabaseUnavailable | undefined {
    if (node === undefined) return undefined;
    const lost = this.#lost.get(node);
    if (lost?.isSilent) {
      if (lost.isBeingTried || performance.now() - lost.triedAt < TRY_MS) return silentNode(node);
      Object.assign(lost, { isBeingTried: true, triedAt: performance.now() });
      void this.#readPlaces(); // its shards may have moved to other nodes
    }
    this.#watch(statement, node, lost);
    return undefined;
  }

  /** Called for every failed statement. */
  reportFailure(error: unknown): void {
    if (!codeOf(error).startsWith(CONNECTION_FAILURE)) return;
    const [, node] = REMOTE_NODE.exec((error as Error).message) ?? [];
    if (node !== undefined) this.#lose(node, error);
  }

  /**
   * Called when a connection has waited for the node in vain. Returns the error for other statements that wait for the node; undefined if
   * the node responds to other statements.
   */
  reportSilence(node: string): DatabaseUnavailable | undefined {
    if (this.responds(node)) return undefined;
    const error = silentNode(node);
    this.#lose(node, error).isSilent = true;
    return error;
  }

  #lose(node: string, error: unknown): LostNode {
    const known = this.#lost.get(node);
    if (known) return known;
    const lost = { isSilent: false, isBeingTried: false, triedAt: performance.now() };
    this.#lost.set(node, lost);
    void this.#readPlaces();
    this.#options.onLost(node, error);
    return lost;
  }

  /** The node works again when a statement gets any response, except an error that the node is unavailable. */
  #watch(statement: Statement, node: string, lost: LostNode | undefined): void {
    const { resolve, reject } = statement;
    const end = (error?: unknown): void => {
      if (lost) lost.isBeingTried = false;
      if (error !== undefined && unavailableReason(error) !== undefined) return;
      this.reportResponse(node);
      if (lost && this.#lost.delete(node)) this.#options.onRestored(node);
    };
    statement.resolve = (value) => {
      end();
      resolve(value);
    };
    statement.reject = (error) => {
      end(error);
      reject(error);
    };
  }

  #readPlaces(): Promise<void> {
    this.#reading ??= this.#options
      .listShardNodes()
      .then(
        (nodesOfShards) => {
          this.#nodesOfShards = nodesOfShards;
        },
        () => {}, // the next statement of an unknown shard tries again
      )
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }
}

function silentNode(node: string): DatabaseUnavailable {
  return new DatabaseUnavailable(`the node ${node} of the database does not respond`, { code: 'CONNECT_TIMEOUT' });
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && Array.isArray((value as Part).args);
}
