/** The service worker of the register, and new versions of the page. */
import { createStore } from '../../client/store.js';

/** A new version is loaded and waits. An update loses nothing: cart and queue are in the browser's database. */
export const isUpdateReady = createStore(false);

const CHECK_MS = 60 * 60 * 1000;

let waiting: ServiceWorker | undefined;

export async function registerServiceWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.register('/register/service-worker.js', { scope: '/register' });
  const look = (): void => {
    // The first version has nothing to replace.
    if (!registration.waiting || !navigator.serviceWorker.controller) return;
    waiting = registration.waiting;
    isUpdateReady.set(true);
  };
  look();
  registration.addEventListener('updatefound', () => {
    registration.installing?.addEventListener('statechange', look);
  });
  setInterval(() => void registration.update().catch(() => {}), CHECK_MS);
}

/** Loads the new version. Other tabs keep the old one until they are reloaded. */
export async function applyUpdate(): Promise<void> {
  if (!waiting) return;
  const hasTakenOver = new Promise((resolve) =>
    navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
  );
  waiting.postMessage('take over');
  await hasTakenOver;
  location.reload();
}
