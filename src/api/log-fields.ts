/** The fields of every log line about a request (docs/logs.md). They contain no body, no query and no credential. */
import type { FastifyRequest } from 'fastify';
import { SENDER_HEADER, type Sender, toSender } from '../base/senders.js';
import { fullName, type MerchantContext } from './operation.js';
import { callersOf } from './request-log.js';
import { addressOf } from './visitor.js';

export function requestFields(request: FastifyRequest): Readonly<Record<string, string>> {
  return {
    request_id: request.id,
    operation: operationName(request),
    method: request.method,
    path: pathTemplate(request),
    ...callersOf(request),
    address: addressOf(request),
    ...sentBy(senderOf(request)),
  };
}

/** Undefined: a program. */
export function senderOf({ headers }: FastifyRequest): Sender | undefined {
  return toSender(headers[SENDER_HEADER]);
}

function sentBy(sender: Sender | undefined): { readonly sent_by?: Sender } {
  return sender === undefined ? {} : { sent_by: sender };
}

/** The declared path. The path of the request itself contains ids, and can contain anything. */
export function pathTemplate({ routeOptions, is404 }: FastifyRequest): string {
  const { operation, page } = routeOptions?.config ?? {};
  return operation?.path ?? page?.path ?? (is404 ? 'none' : (routeOptions?.url ?? 'none'));
}

export function operationName(request: FastifyRequest): string {
  const { operation, page } = request.routeOptions?.config ?? {};
  const named = operation ?? page;
  return named ? fullName(named) : 'none';
}

/** What follows the declared path of a payment. Only our own ids have this form, so nothing else that was sent gets into the log. */
const PAYMENT_ID = /^[\dA-Za-z]{27}$/;

/** The payment that the request has made, changed or named. */
export function paymentOf({ context, params }: FastifyRequest): { readonly payment_id?: string } {
  const { trail } = (context ?? {}) as Partial<MerchantContext>;
  const named = (params as { readonly payment_id?: string } | undefined)?.payment_id;
  const id = trail?.paymentId ?? (trail && named !== undefined && PAYMENT_ID.test(named) ? named : undefined);
  return id === undefined ? {} : { payment_id: id };
}
