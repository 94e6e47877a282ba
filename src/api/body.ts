/** Takes request bodies apart: JSON in UTF-8, nothing else; an empty body of any kind counts as `{}` (decision 0012). */
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../base/errors.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, {});
    const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    if (type !== 'application/json') return done(new Refusal('UNSUPPORTED_MEDIA_TYPE'));
    try {
      done(null, JSON.parse(utf8.decode(body)));
    } catch {
      done(new Refusal('EXPECTED_JSON_BODY', { detail: 'The body is not JSON in UTF-8.' }));
    }
  });
}
