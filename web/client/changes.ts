/**
 * What changes in the business while pages are open. A browser has one stream for all its tabs, because it opens at most six connections
 * to a server: the tab that holds a lock opens it, and tells the others (decision 0150).
 */
import type { Topic } from '../../src/identity/topics.js';
import { createStore } from './store.js';

export type { Topic };

/** Whether changes arrive at the moment. */
export const isLive = createStore(false);

const ADDRESS = '/api/dashboard/changes';
const NAME = 'tillhouse-changes';
/** After the server refused a stream, or was not ready for one. */
const PAUSE_MS = 5000;
/** Longer than two heartbeats of the server. A connection that is silent for longer is dead. */
const SILENCE_MS = 40_000;

type OnChange = (topics: readonly Topic[]) => void;

/** What tabs tell each other. A new tab asks whether changes arrive. */
type Message = { readonly topics: readonly Topic[] } | { readonly isLive: boolean } | { readonly asks: true };

/**
 * Calls `onChange` until the returned function is called. Ends by itself when the session ends. `hasMissed`: something may have changed
 * before, so `onChange` is called with everything as soon as changes arrive.
 */
export function watchChanges(onChange: OnChange, hasMissed: boolean): () => void {
  const closing = new AbortController();
  const { signal } = closing;
  if (navigator.locks) shareStream(onChange, hasMissed, signal);
  else streamWhileVisible(onChange, hasMissed, signal);
  return () => {
    closing.abort();
    isLive.set(false);
  };
}

function shareStream(onChange: OnChange, hasMissed: boolean, signal: AbortSignal): void {
  const channel = new BroadcastChannel(NAME);
  let role: 'none' | 'waiting' | 'leading' = 'none';
  const tell = (message: Message): void => {
    if (signal.aborted) return;
    channel.postMessage(message);
    hear(message);
  };
  const hear = (message: Message): void => {
    if ('topics' in message) onChange(message.topics);
    else if ('isLive' in message) {
      isLive.set(message.isLive);
      if (role === 'none' && message.isLive) void compete(); // somebody signed in again in another tab
    } else if (role === 'leading') channel.postMessage({ isLive: isLive.get() });
  };
  const lead = async (isTakingOver: boolean): Promise<void> => {
    role = 'leading';
    const onLive = (live: boolean): void => tell({ isLive: live });
    await stream({ isTakingOver, signal, onChange: (topics) => tell({ topics }), onLive });
  };
  /** Ends with the session, or when the page is left. */
  const compete = async (): Promise<void> => {
    role = 'waiting';
    const isFirst = await navigator.locks.request(NAME, { ifAvailable: true }, async (lock) => {
      if (lock) await lead(hasMissed);
      return lock !== null;
    });
    if (!isFirst) await navigator.locks.request(NAME, { signal }, () => lead(true)).catch(() => {});
    role = 'none';
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => hear(data));
  channel.postMessage({ asks: true });
  signal.addEventListener('abort', () => channel.close());
  void compete();
}

/** Pages without a secure origin have no locks. */
function streamWhileVisible(onChange: OnChange, hasMissed: boolean, signal: AbortSignal): void {
  let hiding: AbortController | undefined;
  let isTakingOver = hasMissed;
  const check = (): void => {
    hiding?.abort();
    hiding = undefined;
    if (document.hidden || signal.aborted) return;
    hiding = new AbortController();
    void stream({ isTakingOver, signal: hiding.signal, onChange, onLive: isLive.set });
    isTakingOver = true;
  };
  document.addEventListener('visibilitychange', check, { signal });
  signal.addEventListener('abort', () => hiding?.abort());
  check();
}

interface StreamOptions {
  /** Something may have changed before it was open. */
  readonly isTakingOver: boolean;
  readonly signal: AbortSignal;
  readonly onChange: OnChange;
  readonly onLive: (isLive: boolean) => void;
}

/** Keeps a stream open until the session ends, or until it is aborted. */
async function stream({ isTakingOver, signal, onChange, onLive }: StreamOptions): Promise<void> {
  let mayHaveMissed = isTakingOver;
  const onReady = (): void => {
    onLive(true);
    if (mayHaveMissed) onChange(['all']);
    mayHaveMissed = true;
  };
  for (;;) {
    const hasEnded = await readStream({ signal, onReady, onChange, onLost: () => onLive(false) });
    if (!signal.aborted) onLive(false);
    if (hasEnded || signal.aborted || (await isSignedOut())) return;
    await pause(signal);
  }
}

interface Reading {
  readonly signal: AbortSignal;
  readonly onReady: () => void;
  readonly onChange: OnChange;
  readonly onLost: () => void;
}

/** Resolves to true if the session has ended, and to false if the server refuses or is gone. The browser opens a lost connection again. */
function readStream({ signal, onReady, onChange, onLost }: Reading): Promise<boolean> {
  return new Promise((resolve) => {
    const source = new EventSource(ADDRESS);
    const ending = new AbortController();
    const finish = (hasEnded: boolean): void => {
      source.close();
      window.clearTimeout(silence);
      ending.abort();
      resolve(hasEnded);
    };
    let silence: number | undefined;
    const hear = (): void => {
      window.clearTimeout(silence);
      silence = window.setTimeout(() => finish(false), SILENCE_MS);
    };
    source.addEventListener('ready', () => {
      hear();
      onReady();
    });
    source.addEventListener('beat', hear);
    source.addEventListener('change', ({ data }: MessageEvent<string>) => {
      hear();
      onChange((JSON.parse(data) as { topics: readonly Topic[] }).topics);
    });
    source.addEventListener('end', () => finish(true));
    source.addEventListener('error', () => {
      onLost();
      if (source.readyState === EventSource.CLOSED) finish(false);
    });
    addEventListener('offline', () => finish(false), { signal: ending.signal });
    signal.addEventListener('abort', () => finish(true), { signal: ending.signal });
    if (signal.aborted) finish(true);
  });
}

async function isSignedOut(): Promise<boolean> {
  return fetch('/api/dashboard/session').then(
    ({ status }) => status === 401,
    () => false,
  );
}

/** Ends early when the browser is online again. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const ending = new AbortController();
    const end = (): void => {
      clearTimeout(timer);
      ending.abort();
      resolve();
    };
    const timer = setTimeout(end, PAUSE_MS);
    addEventListener('online', end, { signal: ending.signal });
    signal.addEventListener('abort', end, { signal: ending.signal });
  });
}
