/**
 * `GET /api/dashboard/changes`: tells open pages which kinds of things have changed, as server-sent events (decision 0150). A stream checks
 * its session in the cache of credentials, which is refreshed from the database several times a second anyway. The cached entry also says
 * what other servers have changed, so a stream needs no statement of its own.
 */
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { hashAsText } from '../base/secrets.js';
import { SECOND_MS } from '../base/time.js';
import type { Account, Watch } from '../identity/caller.js';
import { changedTopics, type Watches } from '../identity/watches.js';
import type { ApiDependencies } from './authenticate.js';
import { type EndReason, EventSender, registerStream } from './event-sender.js';
import type { OwnerContext } from './operation.js';

const CHANGES = {
  surface: 'dashboard',
  name: 'streamChanges',
  path: '/api/dashboard/changes',
  summary: 'Streams the topics that have changed.',
  permission: 'OWNER',
} as const;

/** How often a stream looks at its session and at other servers' changes. */
const LOOK_MS = 200;
/** Other servers know after a second that a merchant is watched: they trust their cached credentials for that long. */
const KNOWN_MS = 1.3 * SECOND_MS;
/** A browser needs one. */
const MAX_STREAMS_PER_ACCOUNT = 10;

/** The open streams of a server. */
export class ChangeStreams {
  readonly #watches: Watches;
  readonly #ends = new Map<(reason: EndReason) => void, string>();
  #isClosed = false;

  constructor(watches: Watches) {
    this.#watches = watches;
  }

  /** Ends all streams at once. Browsers connect again, to another server or to this one after its restart. */
  close(): void {
    this.#isClosed = true;
    this.endAll();
  }

  /** Ends the open streams, and lets new ones open. */
  endAll(): void {
    for (const end of [...this.#ends.keys()]) end('closed');
  }

  /** `find` returns the account while its session is valid. */
  open(account: Account, find: () => Promise<Account | undefined>): Readable {
    if (this.#isClosed) throw new Refusal('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 });
    const ofAccount = [...this.#ends.values()].filter((id) => id === account.id).length;
    if (ofAccount >= MAX_STREAMS_PER_ACCOUNT) {
      const detail = `An account can have ${MAX_STREAMS_PER_ACCOUNT} streams at a time.`;
      throw new Refusal('RATE_LIMITED', { detail, retryAfterSeconds: 30 });
    }
    const sender = new EventSender();
    const { stream } = sender;
    const unlisten = this.#watches.listen(account.merchant.id, (topics) => sender.add(topics));
    const end = (reason: EndReason): void => {
      if (!this.#ends.delete(end)) return;
      unlisten();
      stopLooking();
      sender.end(reason);
    };
    const stopLooking = this.#look(account, find, { sender, end });
    this.#ends.set(end, account.id);
    stream.once('close', () => end('closed'));
    void this.#startWatch(account.merchant.id, sender);
    return stream;
  }

  /** Other servers learn of a new watch only after a while. Then the page loads everything again, in case it has missed a change. */
  async #startWatch(merchantId: string, sender: EventSender): Promise<void> {
    const wasKnown = await this.#watches.startWatch(merchantId).catch(() => false);
    if (!wasKnown) setTimeout(() => sender.add(['all']), KNOWN_MS).unref();
  }

  #look(
    account: Account,
    find: () => Promise<Account | undefined>,
    { sender, end }: { readonly sender: EventSender; readonly end: (reason: EndReason) => void },
  ): () => void {
    let watch: Watch | null = account.merchant.watch;
    let [isLooking, isGap] = [false, false];
    const look = async (): Promise<void> => {
      if (isLooking) return;
      isLooking = true;
      try {
        const known = await find();
        if (!known || known.expiresAt <= realNow()) return end('session ended');
        const before = watch;
        watch = known.merchant.watch;
        sender.add(isGap ? ['all'] : changedTopics(before, watch, this.#watches.serverId));
        isGap = false;
      } catch {
        isGap = true; // the database is unavailable, and other servers may have failed to announce something
      } finally {
        isLooking = false;
      }
    };
    const looking = setInterval(() => void look(), LOOK_MS).unref();
    return () => clearInterval(looking);
  }
}

export function registerChangeStream(
  app: FastifyInstance,
  dependencies: ApiDependencies,
  streams: ChangeStreams,
): void {
  const { accounts } = dependencies.credentials;
  registerStream(app, dependencies, CHANGES, (request) => {
    const { account, session } = request.context as OwnerContext;
    const key = hashAsText(session);
    return streams.open(account, async () => accounts.find(key));
  });
}
