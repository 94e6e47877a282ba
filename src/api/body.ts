/** Takes request bodies apart: JSON in UTF-8, nothing else; an empty body of any kind counts as `{}` (decision 0012). */
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../base/errors.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // The framework refuses a malformed type even where nothing was sent; to us there are two types, JSON and others.
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    const type = headers['content-type'];
    if (type !== undefined) headers['content-type'] = isJson(type) ? 'application/json' : 'application/octet-stream';
  });
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0 || request.method === 'DELETE') return done(null, {});
    if (!isJson(request.headers['content-type'])) return done(new Refusal('UNSUPPORTED_MEDIA_TYPE'));
    try {
      done(null, JSON.parse(utf8.decode(body)));
    } catch {
      done(new Refusal('EXPECTED_JSON_BODY', { detail: 'The body is not JSON in UTF-8.' }));
    }
  });
}

function isJson(type: string | undefined): boolean {
  return type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}
