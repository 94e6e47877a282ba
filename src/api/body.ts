/** Takes request bodies apart: JSON in UTF-8, forms where a route wants them; an empty body of any kind counts as `{}` (decision 0012). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../base/errors.js';
import { JSON_TYPE } from '../base/json.js';
import { splitQuery } from './input.js';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const OTHER_TYPE = 'application/octet-stream';

const COMPRESSED = 'Bodies are not taken compressed: send it as it is, without the header `Content-Encoding`.';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // The framework refuses a malformed type even where nothing was sent; to us there are three: JSON, forms and others.
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    const type = headers['content-type'];
    if (type !== undefined)
      headers['content-type'] = [JSON_TYPE, FORM_TYPE].find((each) => is(type, each)) ?? OTHER_TYPE;
  });
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0 || request.method === 'DELETE') return done(null, {});
    if (isForm(request) && takesForm(request)) return done(null, splitQuery(body.toString()));
    if (request.headers['content-type'] !== JSON_TYPE) return done(new Refusal('UNSUPPORTED_MEDIA_TYPE'));
    if (isCompressed(request)) return done(new Refusal('UNSUPPORTED_MEDIA_TYPE', { detail: COMPRESSED }));
    try {
      done(null, JSON.parse(utf8.decode(body)));
    } catch {
      done(new Refusal('EXPECTED_JSON_BODY', { detail: 'The body is not JSON in UTF-8.' }));
    }
  });
}

export function isForm({ headers }: FastifyRequest): boolean {
  return headers['content-type'] === FORM_TYPE;
}

function isCompressed({ headers }: FastifyRequest): boolean {
  return !/^(?:identity)?$/i.test(headers['content-encoding'] ?? '');
}

function takesForm({ routeOptions: { config } }: FastifyRequest): boolean {
  return config.page !== undefined || config.operation?.acceptsForm === true;
}

function is(given: string, type: string): boolean {
  return given.split(';', 1)[0]?.trim().toLowerCase() === type;
}
