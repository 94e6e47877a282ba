/** Loads again what is on screen when it has changed: at a register, in another browser, or in the background. */
import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Topic, watchChanges } from '../client/changes.js';
import { useStore } from '../client/store.js';
import { repeatedSignIns, useSession } from './session/session.js';
import { isShown } from './shown-topics.js';

/** A busy shop changes all the time. */
const PAUSE_MS = 1500;

/** Hidden tabs load when they are looked at. */
class Refresher {
  readonly #queries: QueryClient;
  readonly #changed = new Set<Topic>();
  #timer: number | undefined;
  #lastAt = 0;

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  readonly add = (topics: readonly Topic[]): void => {
    for (const topic of topics) this.#changed.add(topic);
    this.#schedule();
  };

  readonly look = (): void => this.#schedule();

  stop(): void {
    window.clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (document.hidden || this.#changed.size === 0 || this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#lastAt + PAUSE_MS - performance.now());
    this.#timer = window.setTimeout(() => this.#refresh(), waitMs);
  }

  #refresh(): void {
    this.#timer = undefined;
    this.#lastAt = performance.now();
    const changed = new Set(this.#changed);
    this.#changed.clear();
    const isConcerned = ({ queryKey: [name], state }: Query): boolean =>
      state.data !== undefined && isShown(String(name), changed); // what failed waits for the person
    void this.#queries.invalidateQueries({ predicate: isConcerned }, { cancelRefetch: false });
  }
}

/** For the time of a session. Signing in again starts anew. */
export function useLiveChanges(): void {
  const queries = useQueryClient();
  const { data: session } = useSession();
  const signIns = useStore(repeatedSignIns);
  useEffect(() => {
    if (!session) return;
    const refresher = new Refresher(queries);
    const unwatch = watchChanges(refresher.add, signIns > 0);
    document.addEventListener('visibilitychange', refresher.look);
    return () => {
      unwatch();
      refresher.stop();
      document.removeEventListener('visibilitychange', refresher.look);
    };
  }, [queries, session, signIns]);
}
