/** Serves the pages that are built from web/: a shell for each place, and its assets. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Mode } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { listWebFiles, type WebFile } from './web-files.js';

/**
 * The component library adds style elements at run time, and a page that caches keep cannot contain a nonce; so styles may be inline.
 * Nothing is loaded from another server.
 */
export const BUILT_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "font-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "img-src 'self' data: blob:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

/** Names of assets contain a hash of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The places that have deep links, which their shell opens. */
const PLACES = ['dashboard', 'register'];
/** Production has no console. */
const SANDBOX_PLACES = [...PLACES, 'console'];

/** Its scope includes the page `/register` itself, not only the paths below it. */
const SERVICE_WORKER = 'register/service-worker.js';

export function registerWeb(app: FastifyInstance, mode: Mode, files: readonly WebFile[] = listWebFiles()): void {
  const found = new Map(files.map((file) => [file.path, file]));
  const assets = files.filter(({ path }) => path.startsWith('assets/'));
  registerFiles(app, new Map(assets.map((file) => [`/${file.path}`, file])), () => ({
    'cache-control': IMMUTABLE,
    vary: 'accept-encoding',
  }));
  for (const file of files.filter(({ path }) => /^register\/[^/]+\.(?:js|webmanifest)$/.test(path))) {
    const scope = file.path === SERVICE_WORKER ? { 'service-worker-allowed': '/register' } : {};
    app.get(`/${file.path}`, async (request, reply) => sendShell(file, request, reply.headers(scope)));
  }
  for (const place of mode === 'production' ? PLACES : SANDBOX_PLACES) {
    const shell = found.get(`${place}/index.html`);
    if (!shell) continue;
    for (const url of [`/${place}`, `/${place}/*`]) {
      app.get(url, async (request, reply) => sendShell(shell, request, reply));
    }
  }
  registerStart(app, mode, found.get('start/index.html'));
}

/**
 * Serves files at their addresses. There are hundreds of files, and registering a route takes time, so each folder has one route. The route
 * matches only the names of its files.
 */
export function registerFiles(
  app: FastifyInstance,
  files: ReadonlyMap<string, WebFile>,
  headersOf: (file: WebFile) => Readonly<Record<string, string>>,
): void {
  const folders = new Map<string, string[]>();
  for (const address of files.keys()) {
    const [, folder = '', name = ''] = /^(.*)\/([^/]+)$/.exec(address) ?? [];
    folders.set(folder, [...(folders.get(folder) ?? []), name]);
  }
  for (const [folder, names] of folders) {
    const known = names.map((name) => name.replaceAll('.', '\\.')).join('|');
    app.get<{ Params: { name: string } }>(`${folder}/:name(^(?:${known})$)`, async (request, reply) => {
      const file = files.get(`${folder}/${request.params.name}`) as WebFile;
      return sendFile(file, request, reply.headers(headersOf(file)));
    });
  }
}

/** The address that people open first. Programs that ask for it get the same 404 as for any unknown path. */
function registerStart(app: FastifyInstance, mode: Mode, shell: WebFile | undefined): void {
  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept');
    const isBrowser = /\btext\/html\b/.test(request.headers.accept ?? '');
    if (!isBrowser || !shell) throw new Refusal('NOT_FOUND', { detail: 'There is no GET /.' });
    return mode === 'production' ? reply.redirect('/dashboard', 303) : sendShell(shell, request, reply);
  });
}

/** Also sends the service worker and the manifest. Browsers ask each time whether they have changed: they name the current assets. */
function sendShell(shell: WebFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const vary = [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', ');
  return sendFile(
    shell,
    request,
    reply.headers({ 'content-security-policy': BUILT_PAGE_POLICY, 'cache-control': 'no-cache', vary }),
  );
}

export async function sendFile(file: WebFile, { headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { bytes, coding, tag } = await file.read(headers['accept-encoding']);
  reply.header('etag', tag).type(file.type);
  if (headers['if-none-match'] === tag) return reply.code(304).send();
  if (coding) reply.header('content-encoding', coding);
  return reply.send(bytes);
}
