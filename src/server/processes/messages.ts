/** The messages between the primary and the processes that serve. */
import type { ServeConfig } from '../../base/config.js';
import type { PeerTopic } from '../../base/peers.js';

/** What a process needs to serve. The primary has prepared it. */
export interface ProcessStart<Prepared> {
  readonly config: ServeConfig;
  readonly prepared: Prepared;
}

export type ToPrimary =
  | { readonly type: 'hello' }
  | { readonly type: 'ready'; readonly localUrl: string }
  | { readonly type: 'failed'; readonly message: string; readonly isUsage: boolean }
  | { readonly type: 'tell'; readonly topic: PeerTopic; readonly value: unknown }
  | { readonly type: 'ask'; readonly id: number; readonly topic: PeerTopic; readonly value: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'last metrics'; readonly value: unknown };

export type ToProcess =
  | { readonly type: 'start'; readonly start: ProcessStart<unknown> }
  | { readonly type: 'told'; readonly topic: PeerTopic; readonly value: unknown }
  | { readonly type: 'asked'; readonly id: number; readonly topic: PeerTopic; readonly value: unknown }
  | { readonly type: 'answers'; readonly id: number; readonly values: readonly unknown[] }
  /** Finish, while others take over the connections. */
  | { readonly type: 'retire' }
  /** Finish, because the whole server stops. */
  | { readonly type: 'stop' };
