import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyLimitOf } from '../../src/api/body-limits.js';
import type { Operation } from '../../src/api/operation.js';
import { operations } from '../../src/operations.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { type Business, openBusiness } from './business.js';
import {
  expectDecent,
  expectRefusal,
  isV1,
  NOT_JSON,
  readRefusal,
  TOO_LARGE,
  UNAUTHORIZED,
  WRONG_TYPE,
} from './refusals.js';
import { type GoodRequest, goodRequest, nameOf, send } from './requests.js';
import { fieldsOf, type Schema } from './schemas.js';
import { createCaseSelector, inNeighbourhoods, shareAmongEqual } from './shares.js';
import { itHasWrittenNothing } from './stored.js';

/** Many times as deep as any body is, and small enough to be read where nobody is known. */
const DEEP = 2_000;
/** Created once, since every operation receives these. */
const DEEP_ARRAYS = '['.repeat(DEEP) + ']'.repeat(DEEP);
const DEEP_OBJECTS = `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`;
const DEEP_AND_BAD = [DEEP_ARRAYS, '['.repeat(DEEP), '{"a":'.repeat(DEEP)].map((text) => Buffer.from(text));
const tooLong = (operation: Operation): Buffer =>
  Buffer.from(JSON.stringify({ padding: 'x'.repeat(bodyLimitOf(operation)) }));

let server: TestServer;
let business: Business;

beforeAll(async () => {
  server = await startTestServer();
  business = await openBusiness(server);
});
afterAll(() => server.stop());

const good = (operation: Operation): Promise<GoodRequest> => goodRequest(operation, business, server);

const built = operations;
/** Bodies that are a list have their own tests (test/api/events/v1.test.ts). */
const isObject = ({ body }: Operation): boolean => (body as Schema | undefined)?.type === 'object';
const withBody = built.filter(isObject);
const withoutBody = built.filter(({ method, body }) => (method === 'POST' || method === 'PUT') && !body);
const reading = operations.filter(({ method }) => method === 'GET' || method === 'DELETE');

it('there are operations with a body and without', () => {
  expect(withBody.length).toBeGreaterThan(25);
  // Clients send these with no body, or with {}, under any content type (contract 10.8).
  expect(withoutBody.map(nameOf)).toContain('v2.cancelPayment');
  expect(reading.length).toBeGreaterThan(40);
});

const NOT_OBJECTS = ['[]', '[{}]', '"x"', '5', 'true'];
const BROKEN = ['{', '{"a":}', 'nope', "{'a':1}", '{"a":1}}', '{"a":01}', '\0', 'NaN'];

const FORM = 'application/x-www-form-urlencoded';

const OTHER_TYPES = [
  ...['text/plain', FORM, 'multipart/form-data; boundary=x', 'application/xml'],
  ...['application/jsonp', 'text/json', 'garbage', '', ';charset=utf-8'],
];

const EMPTY_TYPES = [
  undefined,
  ...['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'garbage', '*/*'],
];

/** Content types and JSON are checked before an operation's own schema, by one parser. */
const partFor = createCaseSelector([...withBody, ...withoutBody]);
const shareOfReading = createCaseSelector(reading);

const quoted = (...bytes: number[]): Buffer => Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, ...bytes, 0x22, 0x7d]);
const NOT_UTF8 = [
  quoted(0xff),
  quoted(0xc3),
  quoted(0xed, 0xa0, 0x80),
  quoted(0xc0, 0xaf),
  Buffer.from('{}', 'utf16le'),
];

const EMPTY = EMPTY_TYPES.flatMap((type) =>
  [{ 'content-length': '0' }, { 'transfer-encoding': 'chunked' }].map((length) => ({
    ...length,
    ...(type && { 'content-type': type }),
  })),
);

const JSON_TYPES = ['application/json; charset=utf-8', 'Application/JSON', 'application/json;', 'application/json;x'];

const shareOfDepths = shareAmongEqual();

const requests = new Map<Operation, GoodRequest>();

function requestOf(operation: Operation): GoodRequest {
  const request = requests.get(operation);
  if (!request) throw new Error(`no request for ${nameOf(operation)}`);
  return request;
}

/** Requests to neighbours, which are all refused. */
function describeRefusals(all: readonly Operation[], addTests: (operation: Operation) => void): void {
  for (const neighbours of inNeighbourhoods(all)) {
    describe(`from ${neighbours.map(nameOf).at(0)} to ${neighbours.map(nameOf).at(-1)}`, () => {
      beforeAll(async () => {
        for (const each of neighbours) requests.set(each, await good(each));
      });
      for (const each of neighbours) describe(`${nameOf(each)}, given a bad body`, () => addTests(each));
      itHasWrittenNothing(() => server);
    });
  }
}

describeRefusals(withBody, (operation) => {
  const { path } = operation;

  it('refuses anything but a JSON object in UTF-8', async () => {
    for (const body of [...partFor(operation, [...BROKEN, ...NOT_UTF8]), ...partFor(operation, NOT_OBJECTS)]) {
      expectRefusal(await send(server, operation, requestOf(operation), { body }), path, NOT_JSON);
    }
  });

  it('refuses other content types with a body (decision 0002)', async () => {
    const body = JSON.stringify(requestOf(operation).body);
    const refused = OTHER_TYPES.filter((type) => !(operation.acceptsForm && type === FORM));
    for (const type of partFor(operation, refused)) {
      const answer = await send(server, operation, requestOf(operation), { body, headers: { 'content-type': type } });
      expectRefusal(answer, path, WRONG_TYPE);
    }
  });

  it('refuses a body over its limit, after authentication', async () => {
    const [request, body] = [requestOf(operation), tooLong(operation)];
    expectRefusal(await send(server, operation, request, { body }), path, TOO_LARGE);
    const anonymous = await send(server, operation, { ...request, credential: {} }, { body });
    expectRefusal(anonymous, path, operation.permission === 'ANYONE' ? TOO_LARGE : UNAUTHORIZED);
  });

  it('refuses levels of nesting that no body has', async () => {
    const [first] = fieldsOf(operation.body as unknown as Schema);
    if (!first) throw new Error('a body without fields');
    for (const body of partFor(operation, DEEP_AND_BAD)) {
      expectRefusal(await send(server, operation, requestOf(operation), { body }), path, NOT_JSON);
    }
    for (const deep of shareOfDepths([DEEP_ARRAYS, DEEP_OBJECTS], isV1(path), first.schema)) {
      const body = `{${JSON.stringify(first.name)}:${deep}}`;
      expect(readRefusal(await send(server, operation, requestOf(operation), { body }), path).status).toBe(400);
    }
  });
});

for (const operation of withBody) {
  describe(`${nameOf(operation)}, given an unusual request`, () => {
    it('accepts every spelling of the JSON content type', async () => {
      for (const type of partFor(operation, JSON_TYPES)) {
        const answer = await send(server, operation, await good(operation), { headers: { 'content-type': type } });
        expect(answer.status, answer.text).toBe(200);
      }
    });

    it('treats an empty body of any content type as {} (decision 0012)', async () => {
      const first = await good(operation);
      const plain = await send(server, operation, first, { body: {} });
      for (const headers of partFor(operation, EMPTY)) {
        // A refused request leaves the records unchanged for the next one.
        const request = plain.status === 200 ? await good(operation) : first;
        const answer = await send(server, operation, { ...request, body: undefined }, { headers });
        expect(answer.status, answer.text).toBe(plain.status);
        if (answer.status !== 200) expect(answer.body).toEqual(plain.body);
      }
    });
  });
}

describe.each(withoutBody.map((each) => [nameOf(each), each] as const))('%s, which takes no body', (_, operation) => {
  it('accepts an empty body of any content type, and any JSON object', async () => {
    for (const headers of partFor(operation, EMPTY)) {
      const answer = await send(server, operation, await good(operation), { headers });
      expect([headers, answer.status], answer.text).toEqual([headers, 200]);
    }
    for (const body of partFor(operation, [{}, { unknown: [1, { a: null }] }, '{"__proto__":{"polluted":true}}'])) {
      const answer = await send(server, operation, await good(operation), { body });
      expect(answer.status, answer.text).toBe(200);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    }
  });
});

describeRefusals(withoutBody, (operation) => {
  it('refuses a body that is not JSON, or has another content type', async () => {
    const request = requestOf(operation);
    for (const body of partFor(operation, BROKEN)) {
      expectRefusal(await send(server, operation, request, { body }), operation.path, NOT_JSON);
    }
    for (const type of partFor(operation, OTHER_TYPES)) {
      const answer = await send(server, operation, request, { body: '{}', headers: { 'content-type': type } });
      expectRefusal(answer, operation.path, WRONG_TYPE);
    }
  });

  it('refuses a body over its limit', async () => {
    const answer = await send(server, operation, requestOf(operation), { body: tooLong(operation) });
    expectRefusal(answer, operation.path, TOO_LARGE);
  });
});

describe('a GET or DELETE', () => {
  it.each(reading.map((each) => [nameOf(each), each] as const))(
    'of %s ignores its body (contract 26)',
    async (_, operation) => {
      const bodies = [{ body: '{"broken' }, { body: 'bye', headers: { 'content-type': 'text/plain' } }];
      for (const change of shareOfReading(operation, bodies)) {
        const answer = await send(server, operation, await good(operation), change);
        expectDecent(answer, operation.path);
        expect(answer.status, answer.text).toBe(200);
      }
    },
  );
});
