/** How the processes of one server talk to each other (decision 0181). A server of one process has no peers. */

/** The subject of a message. Each subject has one function that handles its messages, see `on`. */
export type PeerTopic =
  | 'invalidate credentials'
  | 'rates'
  | 'news'
  | 'recorded requests'
  | 'drop requests'
  | 'stubs'
  | 'metrics';

export interface Peers {
  /** Tells all others, and waits for nobody. */
  tell(topic: PeerTopic, value: unknown): void;
  /** Asks all others. A process that ends or does not answer in time is left out. */
  ask(topic: PeerTopic, value: unknown): Promise<readonly unknown[]>;
  /** Says what this process does when another one tells or asks. */
  on(topic: PeerTopic, respond: (value: never) => unknown): void;
  /** Leaves the last metrics of this process to the primary, before it ends. */
  sendLastMetrics(value: unknown): Promise<void>;
}

export const NO_PEERS: Peers = { tell() {}, ask: async () => [], on() {}, sendLastMetrics: async () => {} };
