/** Serves HTML pages with the headers that protect a page and its forms. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../base/errors.js';
import { JSON_TYPE } from '../base/json.js';
import type { ApiDependencies } from './authenticate.js';
import { requireSameOrigin } from './authorize.js';
import { isForm } from './body.js';
import { Html, html } from './html.js';
import type { ServerContext, Surface } from './operation.js';
import { ownUrl } from './own-url.js';
import { PAGE_STYLE } from './page-style.js';
import { asRefusal } from './render-error.js';
import { type Visitor, visitorOf } from './visitor.js';
import { BUILT_PAGE_POLICY } from './web.js';
import type { WebFile } from './web-files.js';

/** The request of a browser. */
export interface PageVisit {
  /** The values of the parameters in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The raw query string, without the question mark. */
  readonly search: string;
  readonly form: Readonly<Record<string, string>>;
  readonly cookies: string | undefined;
  readonly visitor: Visitor;
  /** The URL of this server for the browser. */
  readonly baseUrl: string;
}

/** A public JSON document for programs of any site. `caching` is its Cache-Control header. */
interface OpenDocument {
  readonly document: object;
  readonly caching: string;
}

/** A public file whose address names its content: caches keep it forever. Pages of any site may show it. */
interface OpenFile {
  readonly file: Buffer;
  readonly type: string;
}

/** JSON for a page of this server only. It contains secrets, so nobody keeps it. */
interface SecretDocument {
  readonly secrets: object;
}

/** A page that is built from web/, with the facts that it needs before its first request. */
interface BuiltPage {
  /** The folder in web/. */
  readonly place: string;
  readonly title: string;
  /** The content of its meta elements, by name. */
  readonly facts: Readonly<Record<string, string>>;
}

/** A page, a redirect, a document, or a file. */
export type PageResponse =
  | {
      readonly status: number;
      readonly title: string;
      readonly body: Html;
      /** Further targets of the page's forms. Browsers also check them for the redirects that follow a form. */
      readonly formTargets?: string;
      readonly cookies?: readonly string[];
      readonly retryAfterSeconds?: number | undefined;
      /** For visitors who were given the address: search engines do not list the page. It may show pictures of this server. */
      readonly isUnlisted?: boolean;
    }
  | { readonly location: string; readonly cookies?: readonly string[] }
  | OpenDocument
  | SecretDocument
  | BuiltPage
  | OpenFile;

export interface Page {
  readonly surface: Surface;
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The limit that counts its visits. */
  readonly guard: 'oauth' | 'pictures' | 'receipts' | 'stores';
  handle(context: ServerContext, visit: PageVisit): Promise<PageResponse>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    page?: Page;
  }
}

const STYLE_SOURCE = `'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`;

export function registerPages(
  app: FastifyInstance,
  pages: readonly Page[],
  { context, publicUrl, requestLog }: Pick<ApiDependencies, 'context' | 'publicUrl' | 'requestLog'>,
  webFiles: readonly WebFile[],
): void {
  for (const page of pages) {
    app.route({
      method: page.method,
      url: page.path,
      config: { page },
      // The pages of OAuth are part of what applications do, so their requests are logged. The other pages are not.
      ...(requestLog && page.surface === 'oauth2' && { onSend: requestLog.hookFor(page) }),
      // Before the body is read (decision 0216).
      onRequest(request, _reply, done) {
        context.limits.guards[page.guard].count(visitorOf(request).network);
        // With `referrer-policy: no-referrer` browsers send the origin `null`. The form's token protects these requests.
        if (page.method !== 'GET' && request.headers.origin !== 'null') requireSameOrigin(request, publicUrl);
        done();
      },
      async handler(request, reply) {
        const response = await page.handle(context, readVisit(request, publicUrl));
        return 'place' in response ? await sendBuiltPage(reply, response, webFiles) : sendPage(reply, response);
      },
      errorHandler(error, _request, reply) {
        const refusal = asRefusal(error);
        if (!refusal) throw error;
        sendPage(reply, refusalPage(refusal));
      },
    });
  }
}

function readVisit(request: FastifyRequest, publicUrl: string | undefined): PageVisit {
  const mark = request.url.indexOf('?');
  return {
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string>,
    search: mark < 0 ? '' : request.url.slice(mark + 1),
    form: isForm(request) ? (request.body as Record<string, string>) : {},
    cookies: request.headers.cookie,
    visitor: visitorOf(request),
    baseUrl: ownUrl(request, publicUrl),
  };
}

/** The same page for every refusal. */
function refusalPage({ meaning, message, retryAfterSeconds }: Refusal): Exclude<PageResponse, BuiltPage> {
  const title = 'The request failed';
  return { status: meaning.status, title, body: html`<h1>${title}</h1><p>${message}</p>`, retryAfterSeconds };
}

function sendDocument(reply: FastifyReply, { document, caching }: OpenDocument): FastifyReply {
  return reply
    .type(JSON_TYPE)
    .header('cache-control', caching)
    .header('access-control-allow-origin', '*')
    .header('cross-origin-resource-policy', 'cross-origin')
    .send(Buffer.from(JSON.stringify(document)));
}

function sendFile(reply: FastifyReply, { file, type }: OpenFile): FastifyReply {
  return reply
    .type(type)
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('cross-origin-resource-policy', 'cross-origin')
    .send(file);
}

/** Browsers load it again each time, because it names the current assets and the current facts. */
async function sendBuiltPage(
  reply: FastifyReply,
  { place, title, facts }: BuiltPage,
  files: readonly WebFile[],
): Promise<FastifyReply> {
  const shell = files.find(({ path }) => path === `${place}/index.html`);
  if (!shell) throw new Refusal('NOT_FOUND', { detail: 'The pages of this server have not been built.' });
  const text = (await shell.read(undefined)).bytes.toString('utf8');
  const metas = Object.entries(facts).map(([name, content]) => html`<meta name="${name}" content="${content}">`.text);
  return reply
    .headers({ 'content-security-policy': BUILT_PAGE_POLICY, 'cache-control': 'no-cache' })
    .type(shell.type)
    .send(text.replace(/<title>.*<\/title>/, () => html`<title>${title}</title>`.text + metas.join('')));
}

function sendPage(reply: FastifyReply, response: Exclude<PageResponse, BuiltPage>): FastifyReply {
  if ('document' in response) return sendDocument(reply, response);
  if ('file' in response) return sendFile(reply, response);
  if ('secrets' in response) {
    return reply
      .type(JSON_TYPE)
      .header('cache-control', 'no-store')
      .send(Buffer.from(JSON.stringify(response.secrets)));
  }
  if (response.cookies) reply.header('set-cookie', response.cookies);
  if ('location' in response) return reply.code(303).header('location', response.location).send();
  const { status, title, body, formTargets, retryAfterSeconds, isUnlisted } = response;
  const formAction = formTargets === undefined ? "'self'" : `'self' ${formTargets}`;
  reply.header(
    'content-security-policy',
    `default-src 'none'; style-src ${STYLE_SOURCE}; img-src data:${isUnlisted ? " 'self'" : ''}; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
  );
  if (isUnlisted) reply.header('x-robots-tag', 'noindex, nofollow');
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  return reply.code(status).type('text/html; charset=utf-8').send(wholePage(title, body).text);
}

function wholePage(title: string, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Tillhouse</title>
<link rel="icon" href="data:,">
<style>${new Html(PAGE_STYLE)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}
