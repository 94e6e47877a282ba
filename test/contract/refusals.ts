/** The checks for every response, and a parser for refusals of both generations. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { ApiResponse } from '../support/http.js';

/** Words that only our own code, its libraries or the database use. */
const INTERNAL = /postgres|\bat \S+ \(|at Object|node_modules|\/src\/|\/dist\/|\.[jt]s:\d|\wError:|\bajv\b|fastify/i;

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Checks that apply to every response of the API. */
export function expectDecent({ headers, text }: ApiResponse, path: string, version = '2020-02-26'): void {
  const expected: Record<string, string | undefined> = {
    ...SECURITY_HEADERS,
    // Decision 0053: only the checkout allows pages of other sites.
    'access-control-allow-origin': path.startsWith('/api/checkout/') ? '*' : undefined,
    // Decision 0013: responses of v2 name the version that was asked for.
    'square-version': path.startsWith('/v2/') ? version : undefined,
    'content-type': 'application/json',
  };
  expectSame(Object.fromEntries(Object.keys(expected).map((name) => [name, headers[name]])), expected);
  if (!REQUEST_ID.test(String(headers['x-request-id']))) expect(headers['x-request-id']).toMatch(REQUEST_ID);
  if (INTERNAL.test(text)) expect(text).not.toMatch(INTERNAL);
}

/** Like `expect(...).toEqual(...)`, which would take a fifth of the time for tens of thousands of responses. */
function expectSame(actual: unknown, expected: unknown, message?: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, message).toEqual(expected);
}

function expectWords(values: readonly unknown[]): void {
  for (const each of values) {
    if (typeof each !== 'string' || !/\S/.test(each)) expect(each).toEqual(expect.stringMatching(/\S/));
  }
}

export interface Refusal {
  readonly status: number;
  /** v1 `type`, v2 `code`. */
  readonly word: string;
  readonly category?: string;
  readonly message: string;
  readonly field: string | undefined;
}

/** Parses a refusal, after checking that it has exactly the format of the path's generation (decision 0002). */
export function readRefusal(answer: ApiResponse, path: string): Refusal {
  expectDecent(answer, path);
  const { status, body, text } = answer;
  if (isV1(path)) {
    const optionalField = body?.field === undefined ? [] : ['field'];
    expectSame(Object.keys(body ?? {}), ['type', 'message', ...optionalField], text);
    const { type, message, field } = body;
    expectWords([type, message]);
    return { status, word: type, message, field };
  }
  // Beside the refusal of a write to an open sale, a register gets what the sale has become.
  const optionalSale = path.startsWith('/api/register/sales/') && body?.sale !== undefined ? ['sale'] : [];
  expectSame(Object.keys(body ?? {}), ['errors', ...optionalSale], text);
  expectSame(body.errors.length, 1, text);
  return { status, ...readError(body.errors[0]) };
}

/** One v2 error. */
export function readError(error: Record<string, string>): Omit<Refusal, 'status' | 'category'> & { category: string } {
  const optionalField = error['field'] === undefined ? [] : ['field'];
  expectSame(Object.keys(error), ['category', 'code', 'detail', ...optionalField]);
  const { category = '', code = '', detail = '', field } = error;
  expectWords([category, code, detail]);
  return { word: code, category, message: detail, field };
}

export function isV1(path: string): boolean {
  return /^\/(?:v1|oauth2)(?:\/|$)/.test(path) && path !== '/oauth2/token/status';
}

/** A refusal by status and code, in the format of each generation. */
export type Expected = { readonly v1: readonly [number, string]; readonly v2: readonly [number, string] };

export function expectRefusal(answer: ApiResponse, path: string, expected: Expected): Refusal {
  const refusal = readRefusal(answer, path);
  expectSame([refusal.status, refusal.word], isV1(path) ? expected.v1 : expected.v2, answer.text);
  return refusal;
}

/** Expects a refusal as bad input that names the field. */
export function expectNamed(answer: ApiResponse, path: string, field: string): Refusal {
  const refusal = readRefusal(answer, path);
  expectSame([refusal.status, refusal.field], [400, field], answer.text);
  return refusal;
}

/** Missing or unknown: clients cannot tell which (decision 0002). */
export const UNAUTHORIZED: Expected = { v1: [401, 'service.not_authorized'], v2: [401, 'UNAUTHORIZED'] };
export const REVOKED: Expected = { v1: [401, 'oauth.revoked'], v2: [401, 'ACCESS_TOKEN_REVOKED'] };
export const EXPIRED: Expected = { v1: [401, 'oauth.expired'], v2: [401, 'ACCESS_TOKEN_EXPIRED'] };
export const NO_PERMISSION: Expected = { v1: [403, 'forbidden'], v2: [403, 'INSUFFICIENT_SCOPES'] };
export const NOT_APPROVED: Expected = { v1: [403, 'forbidden'], v2: [403, 'FORBIDDEN'] };
export const GONE: Expected = { v1: [410, 'gone'], v2: [410, 'GONE'] };
export const NOT_FOUND: Expected = { v1: [404, 'not_found'], v2: [404, 'NOT_FOUND'] };
export const NOT_IMPLEMENTED: Expected = { v1: [501, 'not_implemented'], v2: [501, 'NOT_IMPLEMENTED'] };
export const NO_SUCH_METHOD: Expected = { v1: [404, 'not_found'], v2: [405, 'METHOD_NOT_ALLOWED'] };
export const NOT_JSON: Expected = { v1: [400, 'bad_request'], v2: [400, 'EXPECTED_JSON_BODY'] };
export const WRONG_TYPE: Expected = { v1: [400, 'bad_request'], v2: [415, 'UNSUPPORTED_MEDIA_TYPE'] };
export const TOO_LARGE: Expected = { v1: [413, 'request_entity_too_large'], v2: [413, 'REQUEST_ENTITY_TOO_LARGE'] };
export const MISSING: Expected = {
  v1: [400, 'bad_request.missing_parameter'],
  v2: [400, 'MISSING_REQUIRED_PARAMETER'],
};
export const BAD_TOKEN: Expected = { v1: [400, 'bad_request.invalid_parameter'], v2: [400, 'INVALID_CURSOR'] };
export const BAD_VERSION: Expected = {
  v1: [400, 'bad_request.invalid_parameter'],
  v2: [400, 'INVALID_SQUARE_VERSION_FORMAT'],
};
