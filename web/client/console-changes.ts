/** Tells the console what changes on the server, by server-sent events. */
import { createStore } from './store.js';

/** Whether the stream of changes is open. */
export const isConsoleLive = createStore(false);

const ADDRESS = '/api/sandbox/changes';
/** The pause before another attempt after the server has refused the stream. */
const PAUSE_MS = 3000;

/** Calls `onChange` with topics until the returned function is called. A hidden page has no stream. */
export function watchConsole(onChange: (topics: readonly string[]) => void): () => void {
  const closing = new AbortController();
  let source: EventSource | undefined;
  let pausing: number | undefined;
  const close = (): void => {
    window.clearTimeout(pausing);
    source?.close();
    source = undefined;
    isConsoleLive.set(false);
  };
  const open = (): void => {
    close();
    if (document.hidden || closing.signal.aborted) return;
    const opened = new EventSource(ADDRESS);
    source = opened;
    opened.addEventListener('ready', () => {
      isConsoleLive.set(true);
      onChange(['all']); // something may have changed before the stream was open
    });
    opened.addEventListener('change', ({ data }: MessageEvent<string>) => {
      onChange((JSON.parse(data) as { topics: readonly string[] }).topics);
    });
    opened.addEventListener('error', () => {
      isConsoleLive.set(false);
      if (opened.readyState === EventSource.CLOSED) pausing = window.setTimeout(open, PAUSE_MS);
    });
  };
  document.addEventListener('visibilitychange', open, { signal: closing.signal });
  addEventListener('online', open, { signal: closing.signal });
  open();
  return () => {
    closing.abort();
    close();
  };
}
