/** What is new on the server while the console is open, as server-sent events. */
import { createStore } from './store.js';

/** Whether news arrives at the moment. */
export const isConsoleLive = createStore(false);

const ADDRESS = '/api/sandbox/changes';
/** After the server refused a stream. */
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
      onChange(['all']); // something may have happened before it was open
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
