/** Pages for people: HTML over the same application, with the headers that keep a page and its forms safe. */
import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../base/errors.js';
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

/** What a browser sent. */
export interface PageVisit {
  readonly query: Readonly<Record<string, string>>;
  /** The query as it was spelled, without the question mark. */
  readonly search: string;
  readonly form: Readonly<Record<string, string>>;
  readonly cookies: string | undefined;
  readonly visitor: Visitor;
  /** How the browser calls this server. */
  readonly baseUrl: string;
}

/** Something for programs that come without a credential, of any site: JSON, and how long they may keep it. */
interface OpenDocument {
  readonly document: object;
  readonly caching: string;
}

/** A page to show, another place to go to, or a document. */
export type PageAnswer =
  | {
      readonly status: number;
      readonly title: string;
      readonly body: Html;
      /** Where forms of the page may lead to beside this server; browsers ask it of every redirect that follows, too. */
      readonly formTargets?: string;
      readonly cookies?: readonly string[];
      readonly retryAfterSeconds?: number | undefined;
    }
  | { readonly location: string; readonly cookies?: readonly string[] }
  | OpenDocument;

export interface Page {
  readonly surface: Surface;
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  handle(context: ServerContext, visit: PageVisit): Promise<PageAnswer>;
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
  { context, publicUrl }: Pick<ApiDependencies, 'context' | 'publicUrl'>,
): void {
  for (const page of pages) {
    app.route({
      method: page.method,
      url: page.path,
      config: { page },
      async handler(request, reply) {
        try {
          context.limits.guards.oauth.count(visitorOf(request).network);
          // A browser that is told to tell nobody where it comes from says so with `null`; the form's own token decides then.
          if (page.method !== 'GET' && request.headers.origin !== 'null') requireSameOrigin(request, publicUrl);
          return sendPage(reply, await page.handle(context, readVisit(request, publicUrl)));
        } catch (error) {
          const refusal = asRefusal(error);
          if (!refusal) throw error;
          return sendPage(reply, refusalPage(refusal));
        }
      },
    });
  }
}

function readVisit(request: FastifyRequest, publicUrl: string | undefined): PageVisit {
  const mark = request.url.indexOf('?');
  return {
    query: request.query as Record<string, string>,
    search: mark < 0 ? '' : request.url.slice(mark + 1),
    form: isForm(request) ? (request.body as Record<string, string>) : {},
    cookies: request.headers.cookie,
    visitor: visitorOf(request),
    baseUrl: ownUrl(request, publicUrl),
  };
}

/** One shape for all that goes wrong, whoever found it. */
function refusalPage({ meaning, message, retryAfterSeconds }: Refusal): PageAnswer {
  const title = 'This did not work';
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

function sendPage(reply: FastifyReply, answer: PageAnswer): FastifyReply {
  if ('document' in answer) return sendDocument(reply, answer);
  if (answer.cookies) reply.header('set-cookie', answer.cookies);
  if ('location' in answer) return reply.code(303).header('location', answer.location).send();
  const { status, title, body, formTargets, retryAfterSeconds } = answer;
  const formAction = formTargets === undefined ? "'self'" : `'self' ${formTargets}`;
  reply.header(
    'content-security-policy',
    `default-src 'none'; style-src ${STYLE_SOURCE}; img-src data:; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
  );
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
