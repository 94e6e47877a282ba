/** The catalogue of refusals has the statuses, v1 types and v2 codes that clients expect (contract 12.2, 12.3, decision 0002). */
import { describe, expect, it } from 'vitest';
import { notFound, Refusal, type RefusalName } from './errors.js';

/** reason, v2 status and code, category, v1 status and type. */
const MEANINGS: readonly (readonly [RefusalName, number, string, string, number, string])[] = [
  ['UNAUTHORIZED', 401, 'UNAUTHORIZED', 'AUTHENTICATION_ERROR', 401, 'service.not_authorized'],
  ['ACCESS_TOKEN_EXPIRED', 401, 'ACCESS_TOKEN_EXPIRED', 'AUTHENTICATION_ERROR', 401, 'oauth.expired'],
  ['ACCESS_TOKEN_REVOKED', 401, 'ACCESS_TOKEN_REVOKED', 'AUTHENTICATION_ERROR', 401, 'oauth.revoked'],
  ['INSUFFICIENT_SCOPES', 403, 'INSUFFICIENT_SCOPES', 'AUTHENTICATION_ERROR', 403, 'forbidden'],
  ['FORBIDDEN', 403, 'FORBIDDEN', 'AUTHENTICATION_ERROR', 403, 'forbidden'],
  ['BAD_REQUEST', 400, 'BAD_REQUEST', 'INVALID_REQUEST_ERROR', 400, 'bad_request'],
  [
    'MISSING_REQUIRED_PARAMETER',
    400,
    'MISSING_REQUIRED_PARAMETER',
    'INVALID_REQUEST_ERROR',
    400,
    'bad_request.missing_parameter',
  ],
  ['EXPECTED_JSON_BODY', 400, 'EXPECTED_JSON_BODY', 'INVALID_REQUEST_ERROR', 400, 'bad_request'],
  ...(
    [
      'EXPECTED_STRING',
      'EXPECTED_INTEGER',
      'EXPECTED_BOOLEAN',
      'EXPECTED_OBJECT',
      'EXPECTED_ARRAY',
      'INVALID_VALUE',
      'INVALID_ENUM_VALUE',
      'INVALID_TIME',
      'INVALID_TIME_RANGE',
      'INVALID_SORT_ORDER',
      'INVALID_CURSOR',
      'INVALID_SQUARE_VERSION_FORMAT',
      'VALUE_EMPTY',
      'VALUE_TOO_SHORT',
      'VALUE_TOO_LONG',
      'VALUE_TOO_LOW',
      'VALUE_TOO_HIGH',
      'VALUE_REGEX_MISMATCH',
      'ARRAY_LENGTH_TOO_LONG',
      'ARRAY_LENGTH_TOO_SHORT',
      'CONFLICTING_PARAMETERS',
    ] as const
  ).map((name) => [name, 400, name, 'INVALID_REQUEST_ERROR', 400, 'bad_request.invalid_parameter'] as const),
  ...(['CARD_EXPIRED', 'CARD_NOT_SUPPORTED', 'INVALID_ACCOUNT', 'PAN_FAILURE', 'VOICE_FAILURE'] as const).map(
    (name) => [name, 400, name, 'PAYMENT_METHOD_ERROR', 400, 'bad_request.invalid_parameter'] as const,
  ),
  ...(['CARD_DECLINED', 'BAD_EXPIRATION', 'CHIP_INSERTION_REQUIRED', 'VERIFY_CVV_FAILURE'] as const).map(
    (name) => [name, 402, name, 'PAYMENT_METHOD_ERROR', 402, 'bad_request.invalid_parameter'] as const,
  ),
  ['WRONG_STATE', 400, 'BAD_REQUEST', 'INVALID_REQUEST_ERROR', 422, 'unprocessable_entity'],
  ['CONFLICT', 409, 'CONFLICT', 'INVALID_REQUEST_ERROR', 422, 'unprocessable_entity'],
  ['NOT_FOUND', 404, 'NOT_FOUND', 'INVALID_REQUEST_ERROR', 404, 'not_found'],
  ['METHOD_NOT_ALLOWED', 405, 'METHOD_NOT_ALLOWED', 'INVALID_REQUEST_ERROR', 404, 'not_found'],
  ['GONE', 410, 'GONE', 'INVALID_REQUEST_ERROR', 410, 'gone'],
  ['REQUEST_TIMEOUT', 408, 'REQUEST_TIMEOUT', 'INVALID_REQUEST_ERROR', 408, 'request_timeout'],
  [
    'REQUEST_ENTITY_TOO_LARGE',
    413,
    'REQUEST_ENTITY_TOO_LARGE',
    'INVALID_REQUEST_ERROR',
    413,
    'request_entity_too_large',
  ],
  [
    'REQUEST_HEADERS_TOO_LARGE',
    431,
    'REQUEST_ENTITY_TOO_LARGE',
    'INVALID_REQUEST_ERROR',
    431,
    'request_entity_too_large',
  ],
  ['UNSUPPORTED_MEDIA_TYPE', 415, 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_REQUEST_ERROR', 400, 'bad_request'],
  ['RATE_LIMITED', 429, 'RATE_LIMITED', 'RATE_LIMIT_ERROR', 429, 'rate_limited'],
  ['INTERNAL_SERVER_ERROR', 500, 'INTERNAL_SERVER_ERROR', 'API_ERROR', 500, 'internal_server_error'],
  ['SERVICE_UNAVAILABLE', 503, 'SERVICE_UNAVAILABLE', 'API_ERROR', 503, 'service_unavailable'],
];

describe('Refusal', () => {
  it.each(MEANINGS)('%s is %i %s (%s) in v2 and %i %s in v1', (reason, status, code, category, v1Status, v1Type) => {
    const { meaning } = new Refusal(reason);
    expect([meaning.status, meaning.code ?? reason, meaning.category]).toEqual([status, code, category]);
    expect([meaning.v1.status ?? meaning.status, meaning.v1.type]).toEqual([v1Status, v1Type]);
    expect(meaning.sentence).toMatch(/^[A-Z].+\.$/);
  });

  it("uses the catalogue's sentence unless it has a detail", () => {
    expect(new Refusal('NOT_FOUND').message).toBe('The resource was not found.');
    const detailed = new Refusal('NOT_FOUND', { detail: 'No such role.', field: 'role_ids', retryAfterSeconds: 3 });
    expect([detailed.message, detailed.field, detailed.retryAfterSeconds]).toEqual(['No such role.', 'role_ids', 3]);
    expect(detailed).toBeInstanceOf(Error);
  });
});

describe('notFound', () => {
  it('names the kind and the id', () => {
    const refusal = notFound('employee', 'abc');
    expect([refusal.reason, refusal.message]).toEqual(['NOT_FOUND', 'There is no employee with the id abc.']);
  });

  it('truncates an id that is longer than every valid one', () => {
    expect(notFound('role', 'x'.repeat(10_000)).message).toBe(`There is no role with the id ${'x'.repeat(64)}….`);
  });
});
