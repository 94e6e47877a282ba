/**
 * Starts the register without a network: keeps the shell and all its files in a cache, and serves them from it. A new version waits until
 * the page asks for it (web/register/core/update.ts). Requests to /api are never touched.
 */

/** The types of a worker and of a page cannot be used in one project. These are the parts that are needed here. */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface RequestEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface Worker {
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
}

const worker = self as unknown as Worker;

/** The build replaces both. */
const FILES = '__FILES__' as unknown as readonly string[];
const CACHE = 'register-__VERSION__';

const SHELL = '/register';
const PICTURES = 'register-pictures';
/** The picture at an address never changes: another picture has another address. */
const PICTURE = /^\/pictures\//;
const MAX_PICTURES = 1000;

worker.addEventListener('install', (event) => event.waitUntil(keepFiles()));
worker.addEventListener('activate', (event) => event.waitUntil(takeOver()));
worker.addEventListener('message', ({ data }) => void (data === 'take over' && worker.skipWaiting()));

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate') event.respondWith(findOrFetch(SHELL, request));
  else if (FILES.includes(pathname) || pathname.startsWith('/assets/'))
    event.respondWith(findOrFetch(pathname, request));
  else if (PICTURE.test(pathname)) event.respondWith(findPicture(request));
});

/** All or nothing: a version with a missing file is never used. */
async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(
    FILES.map((path) => new Request(path, { cache: path.startsWith('/assets/') ? 'default' : 'reload' })),
  );
}

/** Keeps the version before this one, because another tab may still run it and load parts of it. Deletes older ones. */
async function takeOver(): Promise<void> {
  const versions = (await caches.keys()).filter((name) => name.startsWith('register-') && name !== PICTURES);
  const old = versions.filter((name) => name !== CACHE).slice(0, -1);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** Looks into the cache of this version first, then into those of earlier versions. */
async function findOrFetch(path: string, request: Request): Promise<Response> {
  const kept = (await (await caches.open(CACHE)).match(path)) ?? (await caches.match(path));
  return kept ?? fetch(request);
}

async function findPicture(request: Request): Promise<Response> {
  const cache = await caches.open(PICTURES);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) {
    await cache.put(request, response.clone());
    const [oldest, ...rest] = await cache.keys();
    if (oldest && rest.length >= MAX_PICTURES) await cache.delete(oldest);
  }
  return response;
}
