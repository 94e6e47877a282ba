/** Creates a span for every request, with the declared path: the real one contains ids, and that of a receipt is secret. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestSpan, Tracing } from '../base/tracing.js';
import { callersOf } from './request-log.js';
import { addressOf } from './visitor.js';

export function traceRequests(
  app: FastifyInstance,
  tracing: Tracing,
  describe: (request: FastifyRequest) => { readonly route: string; readonly operation: string },
): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  app.addHook('onRequest', (request, _reply, done) => {
    const span = tracing.startRequest(request.headers);
    spans.set(request, span);
    span.enter(done);
  });
  // Enters the span again: what runs after the body has arrived does not belong to the request by itself.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.enter(done);
    else done();
  });
  app.addHook('onResponse', async (request, reply) => {
    const { route, operation } = describe(request);
    const { merchant_id: merchant, application_id: application } = callersOf(request);
    spans.get(request)?.end(`${request.method} ${route}`, reply.statusCode, {
      'http.request.method': request.method,
      'http.route': route,
      'client.address': addressOf(request),
      'tillhouse.operation': operation,
      'tillhouse.request_id': request.id,
      ...(merchant !== undefined && { 'tillhouse.merchant_id': merchant }),
      ...(application !== undefined && { 'tillhouse.application_id': application }),
    });
  });
}
