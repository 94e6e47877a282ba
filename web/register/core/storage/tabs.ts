/** What the tabs of one device tell each other. */

const channel = new BroadcastChannel('tillhouse-register');
const listeners = new Map<string, () => void>();

/** Tells the other tabs that something changed in the database of the browser. */
export function announce(topic: string): void {
  channel.postMessage(topic);
}

export function onAnnounced(topic: string, listener: () => void): void {
  listeners.set(topic, listener);
}

channel.addEventListener('message', ({ data }: MessageEvent<string>) => listeners.get(data)?.());
