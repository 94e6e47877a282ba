/**
 * Traces with OpenTelemetry. Its own environment variables set the receiver, the sampling and the name of the service. If the receiver is
 * down, only spans are lost: they wait in a queue with a bound, and then they are dropped.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { core, NodeSDK, resources } from '@opentelemetry/sdk-node';
import type { Attributes, RequestSpan, Tracing } from '../base/tracing.js';

/** For the spans that are left at a stop. */
const FLUSH_LIMIT_MS = 3_000;

export async function startTracing(version: string): Promise<Tracing> {
  const { defaultResource, envDetector, hostDetector, resourceFromAttributes } = resources;
  const sdk = new NodeSDK({
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.name': 'tillhouse', 'service.version': version }),
    ),
    // Without the detector of the process: a command line can contain the password of the database.
    resourceDetectors: [envDetector, hostDetector],
    // Without baggage: what a caller writes there would reach the processor.
    textMapPropagator: new core.W3CTraceContextPropagator(),
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const tracer = trace.getTracer('tillhouse', version);

  const startRequest: Tracing['startRequest'] = (headers) => {
    const from = propagation.extract(ROOT_CONTEXT, headers);
    const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, from);
    return new OpenRequest(span, trace.setSpan(from, span));
  };

  const runSpan: Tracing['span'] = async ({ name, attributes, causes }, work) => {
    const [parent, ...others] = (causes ?? [context.active()]) as readonly Context[];
    const links = others.flatMap((other) => trace.getSpanContext(other) ?? []).map((each) => ({ context: each }));
    const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, links }, parent ?? ROOT_CONTEXT);
    const learn = (learned: Attributes): void => {
      span.setAttributes(learned);
      if ('error.type' in learned) span.setStatus({ code: SpanStatusCode.ERROR });
    };
    try {
      return await context.with(trace.setSpan(parent ?? ROOT_CONTEXT, span), () => work(learn));
    } catch (error) {
      learn({ 'error.type': (error as Error).name }); // its message may contain data of callers
      throw error;
    } finally {
      span.end();
    }
  };

  return {
    startRequest,
    span: runSpan,
    here: () => context.active(),
    headers() {
      const carrier: Record<string, string> = {};
      propagation.inject(context.active(), carrier);
      return carrier;
    },
    async close() {
      const flushed = sdk.shutdown().catch(() => {}); // the receiver is down: the spans are lost
      await Promise.race([flushed, sleep(FLUSH_LIMIT_MS, undefined, { ref: false })]);
      for (const part of [trace, context, propagation]) part.disable();
    },
  };
}

class OpenRequest implements RequestSpan {
  readonly #span: Span;
  readonly #context: Context;

  constructor(span: Span, inside: Context) {
    this.#span = span;
    this.#context = inside;
  }

  enter(work: () => void): void {
    context.with(this.#context, work);
  }

  end(name: string, status: number, attributes: Attributes): void {
    this.#span.updateName(name);
    this.#span.setAttributes({ ...attributes, 'http.response.status_code': status });
    if (status >= 500) {
      this.#span.setAttribute('error.type', String(status));
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}
