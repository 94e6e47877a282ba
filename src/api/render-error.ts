/** Renders a refusal in the format of the path's generation (decision 0002), without internal details. */
import { Refusal, type RefusalName } from '../base/errors.js';
import { translateDatabaseError } from '../database/constraints.js';
import type { ErrorShape } from './operation.js';
import { about, model, optional, Type } from './wire.js';

export function shapeOf(path: string): ErrorShape {
  if (/^\/oauth2\/token\/status(?:\?|$)/.test(path)) return 'v2';
  return /^\/(?:v1|oauth2)(?:[/?]|$)/.test(path) ? 'v1' : 'v2';
}

export interface RenderedError {
  readonly status: number;
  readonly body: string;
}

export function renderError(refusal: Refusal, shape: ErrorShape): RenderedError {
  const { meaning, field } = refusal;
  if (shape === 'v1') {
    const { type, status = meaning.status, sentence = meaning.sentence } = meaning.v1;
    // One message has room for several fields that lack the same.
    const alike = refusal.also.filter(({ reason }) => reason === refusal.reason).map(({ message }) => message);
    const body = { type, message: [refusal.detail ?? sentence, ...alike].join(' '), ...(field && { field }) };
    return { status: refusal.status ?? status, body: JSON.stringify(body) };
  }
  const errors = [refusal, ...refusal.also].map(toError);
  return { status: refusal.status ?? meaning.status, body: JSON.stringify({ errors, ...refusal.beside }) };
}

export const ErrorModel = model('Error', {
  category: about('The kind of error, for example `INVALID_REQUEST_ERROR`.', Type.String()),
  code: about('The error, for programs.', Type.String()),
  detail: about('What is wrong and how to fix it, for people.', optional(Type.String())),
  field: about('The parameter or the member of the body that is wrong.', optional(Type.String())),
});

export function codeOf({ meaning, reason }: Refusal): string {
  return meaning.code ?? reason;
}

/** The v2 format of one error, in a response or inside a record. */
export function toError(refusal: Refusal) {
  const { meaning, message, field } = refusal;
  return { category: meaning.category, code: codeOf(refusal), detail: message, ...(field && { field }) };
}

/** The refusals for errors of Fastify and Node. */
const FRAMEWORK: Readonly<Record<string, RefusalName>> = {
  FST_ERR_BAD_URL: 'NOT_FOUND',
  FST_ERR_CTP_BODY_TOO_LARGE: 'REQUEST_ENTITY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BAD_REQUEST',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'REQUEST_HEADERS_TOO_LARGE',
};

/** Converts an error into a refusal. Returns undefined for unexpected errors. */
export function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const code = (error as { code?: unknown } | undefined)?.code;
  const known = typeof code === 'string' ? FRAMEWORK[code] : undefined;
  return known ? new Refusal(known) : translateDatabaseError(error);
}
