/** Lets the processes of a server share rate limits, changes of cached credentials, and news for open consoles. */
import type { ConsoleStreams } from '../../api/console-stream.js';
import type { Limits } from '../../api/limits.js';
import type { RequestLog } from '../../api/request-log.js';
import type { RequestRate } from '../../api/request-rate.js';
import type { Peers } from '../../base/peers.js';
import type { Credentials } from '../../identity/credentials.js';
import type { Watches } from '../../identity/watches.js';

/** Counts within this time are sent together. So a limit can be exceeded by what the processes allow in that time. */
const RATES_MS = 10;
/** Browsers gather what is new for as long anyway. */
const NEWS_MS = 100;

type Counts = Map<string, Map<string, number>>;

/** A request counts at all processes. */
export function shareLimits(peers: Peers, { guards, shares }: Limits): void {
  const rates = new Map<string, RequestRate>([...Object.entries(guards), ...Object.entries(shares ?? {})]);
  let unsent: Counts = new Map();
  const sendSoon = gathered(RATES_MS, () => {
    peers.tell('rates', unsent);
    unsent = new Map();
  });
  for (const [name, rate] of rates) {
    rate.onChange = (key, by) => {
      const counts = unsent.get(name) ?? new Map<string, number>();
      unsent.set(name, counts.set(key, (counts.get(key) ?? 0) + by));
      sendSoon();
    };
  }
  peers.on('rates', (told: Counts) => {
    for (const [name, counts] of told) for (const [key, by] of counts) rates.get(name)?.add(key, by);
  });
}

/** Which cached credentials are no longer valid. */
type InvalidatedCredentials = { readonly merchantId?: string | undefined; readonly attendantsOnly?: true };

export interface SharedInvalidation {
  readonly invalidate: (merchantId?: string) => void;
  readonly invalidateAttendants: (merchantId: string) => void;
  /** Resolves when all processes have invalidated what this one has told them to; undefined: nothing is under way. */
  readonly untilInvalidated: () => Promise<unknown> | undefined;
}

/** A change takes effect on all processes before its response is sent. */
export function shareInvalidation(peers: Peers, credentials: Credentials): SharedInvalidation {
  const underWay = new Set<Promise<unknown>>();
  const invalidateHere = ({ merchantId, attendantsOnly }: InvalidatedCredentials): void => {
    if (attendantsOnly && merchantId !== undefined) credentials.invalidateAttendants(merchantId);
    else credentials.invalidate(merchantId);
  };
  const invalidate = (which: InvalidatedCredentials): void => {
    invalidateHere(which);
    const asked = peers.ask('invalidate credentials', which).finally(() => underWay.delete(asked));
    underWay.add(asked);
  };
  peers.on('invalidate credentials', invalidateHere);
  return {
    invalidate: (merchantId) => invalidate({ merchantId }),
    invalidateAttendants: (merchantId) => invalidate({ merchantId, attendantsOnly: true }),
    untilInvalidated: () => (underWay.size === 0 ? undefined : Promise.all(underWay)),
  };
}

/** Tells the consoles that are open at other processes what is new here. */
export function shareNews(
  peers: Peers,
  { requestLog, watches, streams }: { requestLog: RequestLog; watches: Watches; streams: ConsoleStreams },
): void {
  const topics = new Set<string>();
  const sendSoon = gathered(NEWS_MS, () => {
    peers.tell('news', [...topics]);
    topics.clear();
  });
  const note = (changed: Iterable<string>): void => {
    for (const topic of changed) topics.add(topic);
    if (topics.size > 0) sendSoon();
  };
  requestLog.listen(() => note(['requests']));
  watches.listenToAll(note);
  peers.on('news', (told: readonly string[]) => streams.announce(told));
}

/** Calls `send` once for all calls within a time. */
function gathered(milliseconds: number, send: () => void): () => void {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      send();
    }, milliseconds).unref();
  };
}
