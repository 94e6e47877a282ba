/** `POST /processors/NAME/events`: takes the events of a processor that reports disputes and failed refunds (decision 0187). */
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../base/errors.js';
import { JSON_TYPE } from '../base/json.js';
import {
  type ProcessorEventSource,
  ProcessorUnavailable,
  type ReportedEvent,
  UnsignedEvent,
} from '../processor/contract.js';
import type { Guards } from './limits.js';
import { visitorOf } from './visitor.js';

const MAX_BODY_BYTES = 256 * 1024;
const RETRY_SECONDS = 30;

export interface ProcessorEvents {
  readonly source: ProcessorEventSource;
  apply(event: ReportedEvent): Promise<void>;
}

/** An event whose outcome is unknown is refused with 503, so that the processor sends it again. */
export function registerProcessorEvents(
  app: FastifyInstance,
  { source, apply }: ProcessorEvents,
  { openRequests }: Guards,
): void {
  app.route({
    method: 'POST',
    url: `/processors/${source.name}/events`,
    bodyLimit: MAX_BODY_BYTES,
    config: { isSigned: true },
    onRequest(request, _reply, done) {
      openRequests.count(visitorOf(request).network);
      done();
    },
    async handler(request, reply) {
      const event = openEvent(source, request.sent, request.headers[source.signatureHeader]);
      if (event) await apply(event).catch(asUnavailable);
      return reply.type(JSON_TYPE).serializer(JSON.stringify).send({ received: true });
    },
  });
}

function openEvent(
  source: ProcessorEventSource,
  body: Buffer | undefined,
  signature: unknown,
): ReportedEvent | undefined {
  try {
    return source.open(body ?? Buffer.alloc(0), typeof signature === 'string' ? signature : '');
  } catch (error) {
    if (!(error instanceof UnsignedEvent)) throw error;
    const detail = `The header ${source.signatureHeader} is not a valid signature of this body, or is too old.`;
    throw new Refusal('BAD_REQUEST', { detail });
  }
}

function asUnavailable(error: unknown): never {
  if (!(error instanceof ProcessorUnavailable)) throw error;
  throw new Refusal('SERVICE_UNAVAILABLE', {
    detail: 'The processor did not respond to a question about this event. Send it again later.',
    retryAfterSeconds: RETRY_SECONDS,
  });
}
