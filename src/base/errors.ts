/** The catalogue of refusals with their status, code and text in v1 and v2. No other file chooses a status code. */

export type ErrorCategory =
  | 'API_ERROR'
  | 'AUTHENTICATION_ERROR'
  | 'INVALID_REQUEST_ERROR'
  | 'RATE_LIMIT_ERROR'
  | 'PAYMENT_METHOD_ERROR'
  | 'REFUND_ERROR';

interface CatalogueEntry {
  readonly status: number;
  readonly category: ErrorCategory;
  /** The v2 code, if it differs from the name of the entry. */
  readonly code?: string;
  /** `sentence` is set where v1 clients compare a text that differs from v2's. */
  readonly v1: { readonly type: string; readonly status?: number; readonly sentence?: string };
  readonly sentence: string;
}

const invalidParameter = { type: 'bad_request.invalid_parameter' };

function invalid(sentence: string): CatalogueEntry {
  return { status: 400, category: 'INVALID_REQUEST_ERROR', v1: invalidParameter, sentence };
}

function declined(status: 400 | 402): CatalogueEntry {
  return { status, category: 'PAYMENT_METHOD_ERROR', v1: invalidParameter, sentence: 'The payment was declined.' };
}

/** v1 uses 422 if the state of a record does not allow the request (decision 0003). */
function notRefundable(sentence: string): CatalogueEntry {
  return { ...invalid(sentence), category: 'REFUND_ERROR', v1: { type: 'unprocessable_entity', status: 422 } };
}

function authentication(status: 401 | 403, type: string, sentence: string): CatalogueEntry {
  return { status, category: 'AUTHENTICATION_ERROR', v1: { type }, sentence };
}

function server(status: number, type: string, sentence: string): CatalogueEntry {
  return { status, category: 'API_ERROR', v1: { type }, sentence };
}

/** Codes with which a processor can decline a card (contract 12.2). Test sources and processor rules can produce each of them. */
const declines = {
  CVV_FAILURE: declined(400),
  ADDRESS_VERIFICATION_FAILURE: declined(400),
  INVALID_EXPIRATION: declined(400),
  GENERIC_DECLINE: declined(400),
  INSUFFICIENT_FUNDS: declined(400),
  INSUFFICIENT_PERMISSIONS: declined(400),
  CARD_EXPIRED: declined(400),
  CARD_NOT_SUPPORTED: declined(400),
  CARDHOLDER_INSUFFICIENT_PERMISSIONS: declined(400),
  EXPIRATION_FAILURE: declined(400),
  INVALID_ACCOUNT: declined(400),
  INVALID_CARD: declined(400),
  INVALID_CARD_DATA: declined(400),
  INVALID_PIN: declined(400),
  INVALID_POSTAL_CODE: declined(400),
  MANUALLY_ENTERED_PAYMENT_NOT_SUPPORTED: declined(400),
  PAN_FAILURE: declined(400),
  PAYMENT_LIMIT_EXCEEDED: declined(400),
  TRANSACTION_LIMIT: declined(400),
  UNSUPPORTED_CARD_BRAND: declined(400),
  UNSUPPORTED_ENTRY_METHOD: declined(400),
  VOICE_FAILURE: declined(400),
  ALLOWABLE_PIN_TRIES_EXCEEDED: declined(402),
  BAD_EXPIRATION: declined(402),
  CARD_DECLINED: declined(402),
  CARD_DECLINED_CALL_ISSUER: declined(402),
  CARD_DECLINED_VERIFICATION_REQUIRED: declined(402),
  CHIP_INSERTION_REQUIRED: declined(402),
  VERIFY_AVS_FAILURE: declined(402),
  VERIFY_CVV_FAILURE: declined(402),
} as const satisfies Record<string, CatalogueEntry>;

const catalogue = {
  /** For missing and for unknown tokens. Clients compare the exact text (decision 0002). */
  UNAUTHORIZED: {
    status: 401,
    category: 'AUTHENTICATION_ERROR',
    v1: { type: 'service.not_authorized', sentence: 'Not Authorized' },
    sentence: 'This request could not be authorized.',
  },
  ACCESS_TOKEN_EXPIRED: authentication(401, 'oauth.expired', 'The access token has expired.'),
  ACCESS_TOKEN_REVOKED: authentication(401, 'oauth.revoked', 'The access token has been revoked.'),
  INSUFFICIENT_SCOPES: authentication(403, 'forbidden', 'The access token lacks a permission.'),
  FORBIDDEN: authentication(403, 'forbidden', 'This is not allowed.'),
  RECENT_SIGN_IN_REQUIRED: authentication(
    403,
    'forbidden',
    'Confirm your password first: POST /api/dashboard/session/confirm.',
  ),

  BAD_REQUEST: { ...invalid('The request is not valid.'), v1: { type: 'bad_request' } },
  MISSING_REQUIRED_PARAMETER: {
    ...invalid('A required field is missing.'),
    v1: { type: 'bad_request.missing_parameter' },
  },
  EXPECTED_JSON_BODY: { ...invalid('The body must be a JSON object.'), v1: { type: 'bad_request' } },
  EXPECTED_STRING: invalid('The value must be a string.'),
  EXPECTED_INTEGER: invalid('The value must be an integer.'),
  EXPECTED_BOOLEAN: invalid('The value must be true or false.'),
  EXPECTED_OBJECT: invalid('The value must be an object.'),
  EXPECTED_ARRAY: invalid('The value must be an array.'),
  INVALID_VALUE: invalid('The value is not valid.'),
  INVALID_ENUM_VALUE: invalid('The value is not one of the allowed values.'),
  INVALID_TIME: invalid('The value is not a valid time. Example: 2020-02-26T10:00:00Z.'),
  INVALID_TIME_RANGE: invalid('The end of the range is before its beginning.'),
  INVALID_SORT_ORDER: invalid('The order must be ASC or DESC.'),
  INVALID_CURSOR: invalid('The page token was not issued by this operation.'),
  INVALID_SQUARE_VERSION_FORMAT: invalid('The header Square-Version must be a date such as 2020-02-26.'),
  VALUE_EMPTY: invalid('The value must not be empty.'),
  VALUE_TOO_SHORT: invalid('The value is too short.'),
  VALUE_TOO_LONG: invalid('The value is too long.'),
  VALUE_TOO_LOW: invalid('The value is too low.'),
  VALUE_TOO_HIGH: invalid('The value is too high.'),
  VALUE_REGEX_MISMATCH: invalid('The value does not have the required format.'),
  ARRAY_LENGTH_TOO_LONG: invalid('The list has too many elements.'),
  ARRAY_LENGTH_TOO_SHORT: invalid('The list has too few elements.'),
  /** A write that a register kept for too long (contract 8). */
  TOO_OLD: invalid('It happened more than 72 hours ago, so it cannot be recorded any more.'),
  /** A write that a register kept, and that only the employee may have made (decision 0206). */
  NOT_SIGNED: invalid('It is not signed by the employee, so it cannot be recorded.'),
  UNKNOWN_BODY_PARAMETER: invalid('The operation has no such field.'),
  UNKNOWN_QUERY_PARAMETER: invalid('The operation has no such parameter.'),
  CONFLICTING_PARAMETERS: invalid('The request has fields that exclude each other.'),

  IDEMPOTENCY_KEY_REUSED: invalid('This idempotency key was used for another request.'),
  CARD_TOKEN_USED: invalid('This payment source has already been used.'),
  INVALID_FEES: invalid('The application fee is too high.'),
  ...declines,
  /** Returned together with INSUFFICIENT_FUNDS: the balance of a gift card. */
  GIFT_CARD_AVAILABLE_AMOUNT: declined(400),
  REFUND_AMOUNT_INVALID: notRefundable('The amount cannot be refunded.'),
  PAYMENT_NOT_REFUNDABLE: notRefundable('The payment cannot be refunded.'),

  /** A well-formed request that the state of the record does not allow (decision 0003). */
  WRONG_STATE: {
    ...invalid('The state of the record does not allow this.'),
    code: 'BAD_REQUEST',
    v1: { type: 'unprocessable_entity', status: 422 },
  },
  CONFLICT: {
    ...invalid('The request conflicts with an existing record.'),
    status: 409,
    v1: { type: 'unprocessable_entity', status: 422 },
  },
  VERSION_MISMATCH: {
    ...invalid('The record has changed since it was read.'),
    status: 409,
    v1: { type: 'unprocessable_entity', status: 422 },
  },
  NOT_FOUND: { ...invalid('The resource was not found.'), status: 404, v1: { type: 'not_found' } },
  METHOD_NOT_ALLOWED: {
    ...invalid('The path does not support this method.'),
    status: 405,
    v1: { type: 'not_found', status: 404 },
  },
  /** An operation of the published interface that this server does not have. */
  NOT_IMPLEMENTED: server(501, 'not_implemented', 'This server does not implement this operation.'),
  GONE: { ...invalid('This operation was retired on 2021-02-26.'), status: 410, v1: { type: 'gone' } },
  REQUEST_TIMEOUT: { ...invalid('The request took too long to arrive.'), status: 408, v1: { type: 'request_timeout' } },
  REQUEST_ENTITY_TOO_LARGE: {
    ...invalid('The request is too large.'),
    status: 413,
    v1: { type: 'request_entity_too_large' },
  },
  REQUEST_HEADERS_TOO_LARGE: {
    ...invalid('The headers of the request are too large.'),
    status: 431,
    code: 'REQUEST_ENTITY_TOO_LARGE',
    v1: { type: 'request_entity_too_large' },
  },
  UNSUPPORTED_MEDIA_TYPE: {
    ...invalid('Send JSON with the header `Content-Type: application/json`.'),
    status: 415,
    v1: { type: 'bad_request', status: 400 },
  },
  RATE_LIMITED: {
    status: 429,
    category: 'RATE_LIMIT_ERROR',
    v1: { type: 'rate_limited' },
    sentence: 'Too many requests. Retry later.',
  },

  INTERNAL_SERVER_ERROR: server(500, 'internal_server_error', 'An internal error occurred.'),
  TEMPORARY_ERROR: server(
    503,
    'service_unavailable',
    'The outcome is not known yet. Retry the same request to get it.',
  ),
  /** Only as injected faults: this server is no gateway. */
  BAD_GATEWAY: server(502, 'bad_gateway', 'The server behind this one sent no valid response.'),
  GATEWAY_TIMEOUT: server(504, 'gateway_timeout', 'The server behind this one did not respond in time.'),
  SERVICE_UNAVAILABLE: server(503, 'service_unavailable', 'The service is temporarily unavailable. Retry shortly.'),
} as const satisfies Record<string, CatalogueEntry>;

export type RefusalName = keyof typeof catalogue;

export type DeclineCode = keyof typeof declines;

export const DECLINE_CODES = Object.keys(declines) as readonly DeclineCode[];

export const refusalNames = Object.keys(catalogue) as readonly RefusalName[];

export interface RefusalDetails {
  /** A sentence that says what is wrong and how to fix it. Default: the sentence of the catalogue. */
  readonly detail?: string;
  /** The dotted path of the offending field. */
  readonly field?: string;
  /** The value of the Retry-After header. */
  readonly retryAfterSeconds?: number;
  /** Further errors of the same response. The first error decides the status. */
  readonly also?: readonly Refusal[];
  /** Another status than that of the catalogue, for an injected fault. */
  readonly status?: number;
  /** Further members of the v2 response, such as the failed payment. */
  readonly beside?: Readonly<Record<string, unknown>>;
  /** Headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An expected error. Any code can throw it; `api/render-error.ts` renders it in the format of the path's generation. */
export class Refusal extends Error {
  readonly reason: RefusalName;
  /** Undefined: the sentence of the catalogue applies. */
  readonly detail: string | undefined;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly also: readonly Refusal[];
  /** Undefined: that of the catalogue. */
  readonly status: number | undefined;
  readonly beside: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(reason: RefusalName, details: RefusalDetails = {}) {
    super(details.detail ?? catalogue[reason].sentence);
    this.name = 'Refusal';
    this.reason = reason;
    this.detail = details.detail;
    this.field = details.field;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.also = details.also ?? [];
    this.status = details.status;
    this.beside = details.beside ?? {};
    this.headers = details.headers ?? {};
  }

  get meaning(): CatalogueEntry {
    return catalogue[this.reason];
  }

  /** The same refusal with further members of the response. */
  with(beside: Readonly<Record<string, unknown>>): Refusal {
    const { detail, field, retryAfterSeconds, also, headers } = this;
    return new Refusal(this.reason, {
      ...(detail !== undefined && { detail }),
      ...(field !== undefined && { field }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...{ also, headers, beside: { ...this.beside, ...beside } },
    });
  }
}

/** One text for every missing record. The id of another merchant's record gets the same text (decision 0015). */
export function notFound(kind: string, id: string, field?: string): Refusal {
  return new Refusal('NOT_FOUND', { detail: missing(kind, id), ...(field && { field }) });
}

/** For a missing record that a field of the request refers to: the request is invalid, and its own resource exists. */
export function unknownReference(kind: string, id: string, field: string): Refusal {
  return new Refusal('INVALID_VALUE', { detail: missing(kind, id), field });
}

/** For records that must exist. A missing one is a bug in the server, not an error of the caller. */
export function requireFound<Found>(found: Found | undefined, what: string): Found {
  if (found === undefined) throw new Error(`${what} does not exist`);
  return found;
}

function missing(kind: string, id: string): string {
  return `There is no ${kind} with the id ${id.length > 64 ? `${id.slice(0, 64)}…` : id}.`;
}
