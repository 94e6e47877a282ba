/** Parses request bodies: JSON in UTF-8, and forms where a route accepts them. An empty body counts as `{}` (decision 0012). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../base/errors.js';
import { JSON_TYPE } from '../base/json.js';
import { isTooDeep, MAX_BODY_DEPTH } from './body-limits.js';
import { splitQuery } from './input.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler checks the signature of the bytes before it parses them. */
    isSigned?: true;
  }
}

const FORM_TYPE = 'application/x-www-form-urlencoded';
const OTHER_TYPE = 'application/octet-stream';

const COMPRESSED = 'Compressed bodies are not supported: send the body without the header `Content-Encoding`.';

const TOO_DEEP = `The body is nested more than ${MAX_BODY_DEPTH} levels deep.`;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('sent', undefined);
  // Fastify rejects a malformed content type even if the body is empty. Only JSON, form and other types are distinguished here.
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const type = headers['content-type'];
    if (type !== undefined && type !== JSON_TYPE)
      headers['content-type'] = [JSON_TYPE, FORM_TYPE].find((each) => is(type, each)) ?? OTHER_TYPE;
    done();
  });
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0 || request.method === 'DELETE') return done(null, {});
    request.sent = body;
    if (request.routeOptions.config.isSigned) return done(null, undefined);
    if (isForm(request) && acceptsForm(request)) return done(null, splitQuery(body.toString()));
    if (request.headers['content-type'] !== JSON_TYPE) return done(new Refusal('UNSUPPORTED_MEDIA_TYPE'));
    if (isCompressed(request)) return done(new Refusal('UNSUPPORTED_MEDIA_TYPE', { detail: COMPRESSED }));
    if (isTooDeep(body)) return done(new Refusal('EXPECTED_JSON_BODY', { detail: TOO_DEEP }));
    try {
      done(null, JSON.parse(utf8.decode(body)));
    } catch {
      done(new Refusal('EXPECTED_JSON_BODY', { detail: 'The body is not valid JSON in UTF-8.' }));
    }
  });
}

export function isForm({ headers }: FastifyRequest): boolean {
  return headers['content-type'] === FORM_TYPE;
}

function isCompressed({ headers }: FastifyRequest): boolean {
  return !/^(?:identity)?$/i.test(headers['content-encoding'] ?? '');
}

function acceptsForm({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.page !== undefined || config.operation?.acceptsForm === true;
}

function is(given: string, type: string): boolean {
  return given.split(';', 1)[0]?.trim().toLowerCase() === type;
}
