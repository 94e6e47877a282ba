import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isBuilt, type Operation } from '../../src/api/operation.js';
import { listQuery } from '../../src/api/pagination.js';
import { operations } from '../../src/operations.js';
import type { Answer, CallOptions } from '../support/http.js';
import { startTestServer, type TestServer } from '../support/server.js';
import {
  type Business,
  credentialFor,
  type Expected,
  expectDecent,
  expectRefusal,
  goodBody,
  isV1,
  type Json,
  nameOf,
  openBusiness,
  parametersOf,
  pathOf,
  readRefusal,
} from './requests.js';

const NOT_JSON: Expected = { v1: [400, 'bad_request'], v2: [400, 'EXPECTED_JSON_BODY'] };
const WRONG_TYPE: Expected = { v1: [400, 'bad_request'], v2: [415, 'UNSUPPORTED_MEDIA_TYPE'] };
const TOO_LARGE: Expected = { v1: [413, 'request_entity_too_large'], v2: [413, 'REQUEST_ENTITY_TOO_LARGE'] };
const NOT_FOUND: Expected = { v1: [404, 'not_found'], v2: [404, 'NOT_FOUND'] };
const BAD_TOKEN: Expected = { v1: [400, 'bad_request.invalid_parameter'], v2: [400, 'INVALID_CURSOR'] };
const NO_CREDENTIAL: Expected = { v1: [401, 'unauthorized'], v2: [401, 'UNAUTHORIZED'] };
const MIB = 1024 * 1024;

/** More than any page holds. */
const CROWD = 205;

let server: TestServer;
let business: Business;

beforeAll(async () => {
  server = await startTestServer();
  business = await openBusiness(server);
  const { sql } = server.database;
  const merchantId = business.merchant.id;
  await sql`
    insert into employees
    select
      ${merchantId}, gen_random_uuid(), 'First', 'Last', null, null, null, null, '{}', 'ACTIVE', false,
      now() + n * interval '1 second', now()
    from generate_series(1, ${CROWD}) n`;
  await sql`
    insert into roles
    select ${merchantId}, 'role' || n, 'Role', '{}', false, now() + n * interval '1 second', now()
    from generate_series(1, ${CROWD}) n`;
});
afterAll(() => server.stop());

/** All that is stored, as one word: it changes when anything is written. */
async function stored(): Promise<unknown> {
  const { sql } = server.database;
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1`;
  const parts = tables.map(
    ({ name }) => `select '${name}', count(*), md5(string_agg(t::text, ',' order by t::text)) from ${name} t`,
  );
  return sql.unsafe(parts.join(' union all '));
}

/** Runs what must not write anything. */
async function writingNothing(work: () => Promise<void>): Promise<void> {
  const before = await stored();
  await work();
  expect(await stored()).toEqual(before);
}

async function send(operation: Operation, options: CallOptions = {}, query = ''): Promise<Answer> {
  const credential = credentialFor(operation, business);
  const headers = { ...credential.headers, ...options.headers };
  const path = pathOf(operation, business.ids) + query;
  const answer = await server.call(operation.method, path, { ...credential, ...options, headers });
  expectDecent(answer, path);
  return answer;
}

/** Refused as bad input, and by name. */
function expectNamed(answer: Answer, path: string, field: string): void {
  const refusal = readRefusal(answer, path);
  expect([refusal.status, refusal.field], answer.text).toEqual([400, field]);
}

/** The parts of JSON Schema that declarations use. */
interface Schema {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A place in a body: the steps to it, each with the schema of what stands there. */
interface Field {
  readonly steps: readonly { readonly key: string | 0; readonly schema: Schema }[];
  readonly schema: Schema;
  /** As refusals name it. */
  readonly name: string;
  readonly isElement: boolean;
}

function fieldsOf(schema: Schema, steps: Field['steps'] = []): Field[] {
  const children: [string | 0, Schema][] = Object.entries(schema.properties ?? {});
  if (schema.items) children.push([0, schema.items]);
  return children.flatMap(([key, child]) => {
    const path = [...steps, { key, schema: child }];
    const name = path.flatMap((step) => (step.key === 0 ? [] : [step.key])).join('.');
    return [{ steps: path, schema: child, name, isElement: key === 0 }, ...fieldsOf(child, path)];
  });
}

/** The least that a schema accepts. */
function sample(schema: Schema): unknown {
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] as Schema)]),
      );
    case 'array':
      return schema.items && (schema.minItems ?? 0) > 0 ? [sample(schema.items)] : [];
    case 'boolean':
      return true;
    case 'string':
      if (schema.enum) return schema.enum[0];
      if (schema.format === 'date-time') return '2020-02-26T10:00:00Z';
      if (schema.pattern) throw new Error(`no sample of ${schema.pattern}`);
      return 'x'.repeat(schema.minLength ?? 1);
    default:
      throw new Error(`no sample of ${schema.type}`);
  }
}

/** The body with a value at a place; what leads there is made where it is missing. */
function withValue(body: Json, { steps }: Field, value: unknown): Json {
  const copy = structuredClone(body);
  let at = copy as Record<string | 0, unknown>;
  for (const [index, { key, schema }] of steps.entries()) {
    if (index === steps.length - 1) at[key] = value;
    else {
      at[key] ??= sample(schema);
      at = at[key] as Record<string | 0, unknown>;
    }
  }
  return copy;
}

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  string: [5, -1.5, true, false, {}, { a: 1 }, [], ['x']],
  integer: ['5', '', 1.5, true, {}, []],
  number: ['5', '', true, {}, []],
  boolean: ['true', 'x', 1, 0, {}, []],
  object: ['x', 5, true, [], [{}]],
  array: ['x', 5, true, {}, { 0: 'x', length: 1 }],
};

const DEEP = 100_000;
const withBody = operations.filter((each) => each.body && isBuilt(each));

it('there are operations with a body, with ids and with pages to test', () => {
  expect(withBody.length).toBeGreaterThan(9);
  expect(operations.filter((each) => parametersOf(each).length > 0).length).toBeGreaterThan(25);
  expect(operations.filter((each) => each.page && isBuilt(each)).length).toBeGreaterThan(3);
});

for (const operation of withBody) {
  const { path } = operation;
  const fields = fieldsOf(operation.body as unknown as Schema);
  const texts = fields.filter(({ schema }) => schema.type === 'string');

  describe(`${nameOf(operation)}, given a bad body`, () => {
    it('refuses what is not a JSON object', () =>
      writingNothing(async () => {
        const bodies = [
          '{',
          '{"a":}',
          'nope',
          "{'a':1}",
          '{"a":1}}',
          '{"a":01}',
          '\0',
          '[]',
          '[{}]',
          '"x"',
          '5',
          'true',
          'NaN',
        ];
        for (const body of bodies) expectRefusal(await send(operation, { body }), path, NOT_JSON);
      }));

    it('refuses bytes that are not UTF-8', () =>
      writingNothing(async () => {
        const quoted = (...bytes: number[]): Buffer =>
          Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, ...bytes, 0x22, 0x7d]);
        const bodies = [
          quoted(0xff),
          quoted(0xc3),
          quoted(0xed, 0xa0, 0x80),
          quoted(0xc0, 0xaf),
          Buffer.from('{}', 'utf16le'),
        ];
        for (const body of bodies) expectRefusal(await send(operation, { body }), path, NOT_JSON);
      }));

    it('refuses other content types with a body (decision 2)', async () => {
      const body = JSON.stringify(await goodBody(operation, business, server));
      await writingNothing(async () => {
        for (const type of [
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data; boundary=x',
          'application/xml',
          'application/jsonp',
          'text/json',
          'garbage',
          '',
          ';charset=utf-8',
        ]) {
          const answer = await send(operation, { body, headers: { 'content-type': type } });
          expectRefusal(answer, path, WRONG_TYPE);
        }
      });
    });

    it('takes JSON however its content type is spelled', async () => {
      for (const type of [
        'application/json; charset=utf-8',
        'Application/JSON',
        'application/json;',
        'application/json;x',
      ]) {
        const body = await goodBody(operation, business, server);
        const { status, text } = await send(operation, { body, headers: { 'content-type': type } });
        expect(status, text).toBe(200);
      }
    });

    it('takes an empty body of any content type for {} (decision 12)', async () => {
      const plain = await send(operation, { body: {} });
      for (const type of [
        undefined,
        'application/json',
        'application/x-www-form-urlencoded',
        'text/plain',
        'garbage',
        '*/*',
      ]) {
        const empty = await send(operation, {
          headers: { 'content-length': '0', ...(type && { 'content-type': type }) },
        });
        const chunked = await send(operation, {
          headers: { 'transfer-encoding': 'chunked', ...(type && { 'content-type': type }) },
        });
        for (const { status, body } of [empty, chunked]) {
          expect(status).toBe(plain.status);
          if (status !== 200) expect(body).toEqual(plain.body);
        }
      }
    });

    it('refuses a body over 1 MiB, after who asks', () =>
      writingNothing(async () => {
        const body = JSON.stringify({ padding: 'x'.repeat(MIB) });
        expectRefusal(await send(operation, { body }), path, TOO_LARGE);
        const anonymous = await server.call(operation.method, pathOf(operation, business.ids), { body });
        expectRefusal(anonymous, path, operation.permission === 'ANYONE' ? TOO_LARGE : NO_CREDENTIAL);
      }));

    it('refuses each field of a wrong type, and names it', async () => {
      const good = await goodBody(operation, business, server);
      await writingNothing(async () => {
        for (const field of fields) {
          const wrong = WRONG[field.schema.type] ?? [];
          expect(wrong).not.toEqual([]);
          // An element that is null is not absent: a list has no holes.
          for (const value of field.isElement ? [...wrong, null] : wrong) {
            expectNamed(await send(operation, { body: withValue(good, field, value) }), path, field.name);
          }
        }
      });
    });

    it('refuses numbers beyond all bounds in each field, and names it', async () => {
      const good = await goodBody(operation, business, server);
      await writingNothing(async () => {
        for (const field of fields.filter(({ schema }) => !['number', 'integer'].includes(schema.type))) {
          for (const number of ['1e400', '-1e400', '1e21', '9007199254740993', `1${'0'.repeat(400)}`]) {
            const body = JSON.stringify(withValue(good, field, '<number>')).replace('"<number>"', number);
            expectNamed(await send(operation, { body }), path, field.name);
          }
        }
      });
    });

    it('refuses each text that is too long, and bounds them all', async () => {
      const good = await goodBody(operation, business, server);
      await writingNothing(async () => {
        for (const field of texts) {
          const { maxLength, enum: words, pattern } = field.schema;
          expect(maxLength !== undefined || words !== undefined || pattern !== undefined, field.name).toBe(true);
          for (const length of [(maxLength ?? 255) + 1, 100_000]) {
            const body = withValue(good, field, 'x'.repeat(length));
            expectNamed(await send(operation, { body }), path, field.name);
          }
        }
      });
    });

    it('refuses each list that is too long, and bounds them all', async () => {
      const good = await goodBody(operation, business, server);
      await writingNothing(async () => {
        for (const field of fields.filter(({ schema }) => schema.type === 'array')) {
          const { items, maxItems } = field.schema;
          expect(maxItems, field.name).toEqual(expect.any(Number));
          const list = Array.from({ length: (maxItems ?? 0) + 1 }, () => sample(items as Schema));
          expectNamed(await send(operation, { body: withValue(good, field, list) }), path, field.name);
        }
      });
    });

    it('refuses NUL and half a surrogate pair in each text, and names it', async () => {
      const good = await goodBody(operation, business, server);
      await writingNothing(async () => {
        for (const field of texts) {
          for (const text of ['\0', 'a\0b', '\ud800', 'a\udfffb', '\udc00\ud800']) {
            expectNamed(await send(operation, { body: withValue(good, field, text) }), path, field.name);
          }
        }
      });
    });

    it('refuses each time that is none, and names it', async () => {
      const good = await goodBody(operation, business, server);
      await writingNothing(async () => {
        for (const field of texts.filter(({ schema }) => schema.format === 'date-time')) {
          for (const time of BAD_TIMES) {
            expectNamed(await send(operation, { body: withValue(good, field, time) }), path, field.name);
          }
        }
      });
    });

    it('refuses a body without each required field, and names it', async () => {
      const good = await goodBody(operation, business, server);
      const required = (operation.body as unknown as Schema).required ?? [];
      await writingNothing(async () => {
        for (const name of required) {
          const { [name]: _left, ...rest } = good;
          for (const body of [rest, { ...rest, [name]: null }, ...(isV1(path) ? [{ ...rest, [name]: '' }] : [])]) {
            const answer = await send(operation, { body });
            const { word } = readRefusal(answer, path);
            expectNamed(answer, path, name);
            expect(word).toBe(isV1(path) ? 'bad_request.missing_parameter' : 'MISSING_REQUIRED_PARAMETER');
          }
        }
      });
    });

    it('ignores unknown fields, names of the language among them, and nulls (decision 12)', async () => {
      const good = await goodBody(operation, business, server);
      const required = (operation.body as unknown as Schema).required ?? [];
      const optional = Object.keys((operation.body as unknown as Schema).properties ?? {}).filter(
        (name) => !required.includes(name) && !(name in good),
      );
      const nulls = Object.fromEntries(optional.map((name) => [name, null]));
      const strange =
        '"__proto__":{"polluted":true,"approved":true},"constructor":{"prototype":{"polluted":true}},"toString":1,' +
        '"hasOwnProperty":null,"":{"":[]},"\\ud800":"\\u0000","id":"mine","unknown":[1,{"a":null}]';
      const body = `{${strange},${JSON.stringify({ ...good, ...nulls }).slice(1)}`;
      const answer = await send(operation, { body });
      expect(answer.status, answer.text).toBe(200);
      expect(({} as Json)['polluted']).toBeUndefined();
      expect(answer.text).not.toContain('polluted');
    });

    it('survives nesting a hundred thousand deep', () =>
      writingNothing(async () => {
        const arrays = '['.repeat(DEEP) + ']'.repeat(DEEP);
        const objects = `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`;
        for (const body of [arrays, '['.repeat(DEEP), '{"a":'.repeat(DEEP)]) {
          expectRefusal(await send(operation, { body }), path, NOT_JSON);
        }
        const [first] = fields;
        if (!first) throw new Error('a body without fields');
        for (const deep of [arrays, objects]) {
          const answer = await send(operation, { body: `{${JSON.stringify(first.name)}:${deep}}` });
          expect(readRefusal(answer, path).status).toBe(400);
        }
      }));
  });
}

const BAD_TIMES = [
  'yesterday',
  '2026-02-30',
  '2026-02-30T10:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10',
  '2025-02-29T00:00:00Z',
  '2026-01-01T24:00:01Z',
  '2026-01-01T25:00:00Z',
  '2026-01-01T10:60:00Z',
  '2026-01-01T10:00:00+25:00',
  '20260101',
  '1582675200',
  '0000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  '2026-01-01T10:00:00Z; select 1',
];

describe('an operation without a body', () => {
  it('ignores what a GET or DELETE carries (facts 16)', async () => {
    for (const each of operations.filter(({ method }) => method === 'GET' || method === 'DELETE')) {
      if (nameOf(each) === 'dashboard.signOut') continue; // it would end our session; the next test has its own
      const plain = await send(each);
      const carrying = await send(each, { body: '{"broken' });
      expect([nameOf(each), carrying.status]).toEqual([nameOf(each), plain.status]);
    }
  });

  it('signs out even with a body', async () => {
    const own = await openBusiness(server);
    const headers = { cookie: `tillhouse_session=${own.session}`, 'content-type': 'text/plain' };
    const answer = await server.call('DELETE', '/dashboard/session', { body: 'bye', headers });
    expect(answer.status).toBe(200);
  });
});

const BAD_IDS: readonly (readonly [string, string])[] = [
  ['a NUL', '%00'],
  ['a NUL inside', 'abc%00def'],
  ['10,000 characters', 'a'.repeat(10_000)],
  ['10,000 digits', '9'.repeat(10_000)],
  ['2,000 characters of four bytes', '%F0%9F%92%A9'.repeat(1000)],
  ['a percent sign that encodes nothing', '%ZZ'],
  ['half an encoding', 'abc%'],
  ['a byte that is not UTF-8', '%ff'],
  ['half a surrogate pair', '%ED%A0%80'],
  ['other scripts', '%E5%91%98%E5%B7%A5'],
  ['a slash', 'a%2Fb'],
  ['dots', '%2e%2e'],
  ['SQL', "'%20or%201=1;--"],
  ['a quote and a backslash', '%22%5C%27'],
  ['a line break', 'a%0d%0aset-cookie:x'],
  ['a name of the language', '__proto__'],
  ['nothing', ''],
];

for (const operation of operations.filter((each) => parametersOf(each).length > 0)) {
  const { path } = operation;

  describe(`${nameOf(operation)}, given a bad id`, () => {
    it('answers 404', async () => {
      const body = operation.body && { body: await goodBody(operation, business, server) };
      await writingNothing(async () => {
        for (const [what, id] of BAD_IDS) {
          for (const name of parametersOf(operation)) {
            const target = pathOf(operation, { ...business.ids, [name]: 'BAD' }).replace('BAD', id);
            const answer = await server.call(operation.method, target, {
              ...credentialFor(operation, business),
              ...body,
            });
            const { status, word } = readRefusal(answer, path);
            // What is not built looks nothing up yet.
            if (!isBuilt(operation)) expect([404, 501], what).toContain(status);
            else expect([what, status, word]).toEqual([what, ...(isV1(path) ? NOT_FOUND.v1 : NOT_FOUND.v2)]);
          }
        }
      });
    });

    it('asks who it is before it looks at the id (decision 4)', async () => {
      for (const id of ['%00', 'a'.repeat(10_000)]) {
        const target = pathOf(operation, { ...business.ids, [parametersOf(operation)[0] ?? '']: 'BAD' }).replace(
          'BAD',
          id,
        );
        const { status } = readRefusal(await server.call(operation.method, target), path);
        expect(status).toBe(401);
      }
    });
  });
}

/** Pages of a list that is longer than any page. */
for (const operation of operations.filter((each) => each.page && isBuilt(each))) {
  const { path, page } = operation;
  if (!page) throw new Error('a list without pages');
  const { token: tokenName, limit } = page;
  const query = listQuery(operation, page) as unknown as Schema;
  const filters = Object.entries(query.properties ?? {}).filter(([name]) => name !== 'limit' && name !== tokenName);
  const get = (search: string): Promise<Answer> => send(operation, {}, search);

  const itemsIn = ({ body }: Answer): unknown[] => (page.keys ? body[page.keys[0] ?? ''] : body);
  const tokenIn = ({ body, rawHeaders }: Answer): string | undefined => {
    if (page.keys) return body.cursor;
    const link = rawHeaders.includes('Link') ? rawHeaders[rawHeaders.indexOf('Link') + 1] : undefined;
    return /^<[^>]+[?&]batch_token=([\w-]+)>;rel='next'$/.exec(link ?? '')?.[1];
  };
  const encode = (content: unknown): string => Buffer.from(JSON.stringify(content)).toString('base64url');
  const decode = (token: string | undefined): Json => JSON.parse(Buffer.from(token ?? '', 'base64url').toString());

  describe(`${nameOf(operation)}, given a bad query`, () => {
    it(`has pages of ${limit.default}, at most ${limit.max}`, async () => {
      expect(limit.max, 'insert more rows').toBeLessThan(CROWD);
      for (const [search, size] of [
        ['', limit.default],
        ['?limit=1', 1],
        [`?limit=${limit.max - 1}`, limit.max - 1],
        [`?limit=${limit.max}`, limit.max],
      ] as const) {
        const answer = await get(search);
        expect([answer.status, itemsIn(answer).length], search).toEqual([200, size]);
        expect(tokenIn(answer)).toEqual(expect.any(String));
      }
    });

    it('treats a limit out of range by its rule (decision 9)', async () => {
      for (const given of [limit.max + 1, 1_000_000, '99999999999999999999', 0, -1, '-99999999999999999999']) {
        const answer = await get(`?limit=${given}`);
        if (limit.over === 'refuse') expectNamed(answer, path, 'limit');
        else
          expect([answer.status, itemsIn(answer).length], String(given)).toEqual([
            200,
            Number(given) < 1 ? 1 : limit.max,
          ]);
      }
    });

    it('refuses a limit that is no whole number, and names it', async () => {
      for (const given of ['abc', '1.5', '1e2', '0x10', '%2B5', '5%20', '%00', '%ff', 'NaN', 'null', '[]', '١']) {
        expectNamed(await get(`?limit=${encodeURI(decodeIfPossible(given))}`), path, 'limit');
      }
    });

    it('refuses filters that are not what they should be, and names them', () =>
      writingNothing(async () => {
        for (const [name, schema] of filters) {
          const bad = schema.enum
            ? ['sideways', 'asc', 'active', '5', 'ACTIVE%20', 'ASC,DESC']
            : schema.format === 'date-time'
              ? BAD_TIMES.map(encodeURIComponent)
              : ['x'.repeat(256)];
          for (const value of [...bad, '%00', 'a%00', '%ff', '%ZZ', 'x'.repeat(8000)]) {
            expectNamed(await get(`?${name}=${value}`), path, name);
          }
        }
      }));

    it('refuses a range that ends before it begins, and names its end', async () => {
      for (const name of filters.map(([each]) => each).filter((each) => each.startsWith('begin_'))) {
        const end = name.replace('begin_', 'end_');
        expectNamed(await get(`?${name}=2020-01-02&${end}=2020-01-01`), path, end);
      }
    });

    it('reads around empty, repeated, unknown and strange parameters (decision 12)', async () => {
      const plain = await get('');
      for (const search of [
        '?',
        '?&&&a=&&',
        '?=&==&=x',
        '?unknown=1&limi=5&LIMIT=5',
        '?__proto__=1&constructor=2&toString=3&__proto__[limit]=1',
        '?limit=&cursor=&batch_token=',
        `?${filters.map(([name]) => `${name}=`).join('&')}`,
        '?limit[]=1&limit.x=2',
        '?%00=1&%ff=2&%ZZ=3',
        `?${'a&'.repeat(3000)}`,
      ]) {
        const answer = await get(search);
        expect([search.slice(0, 40), answer.status, answer.text === plain.text]).toEqual([
          search.slice(0, 40),
          200,
          true,
        ]);
      }
      const repeated = await get('?limit=2&limit=1');
      expect([repeated.status, itemsIn(repeated).length]).toEqual([200, 1]);
    });

    it('refuses page tokens that are none, and names them', () =>
      writingNothing(async () => {
        const real = tokenIn(await get('?limit=1'));
        const content = decode(real);
        const { a, q, o, p, v } = content as { a: [number, string]; q: Json; o: string; p: Json; v: number };
        const forged = [
          'x',
          'AAAA',
          'null',
          '%00',
          '%ff',
          '====',
          '../../etc/passwd',
          "'%20or%201=1",
          Buffer.from('random').toString('base64'),
          real?.slice(0, -4),
          real?.slice(2),
          `${real}%00`,
          `${real}==`,
          `${real}${real}`,
          'A'.repeat(4096),
          'A'.repeat(12_000),
          ...[null, 5, 'x', [], {}, [content], { ...content, v: v + 1 }, { ...content, v: String(v) }].map(encode),
          ...[
            { o, p, q, v },
            { a, p, q, v },
            { a, o, q, v },
            { a, o, p, v },
            { a, o, p, q },
          ].map(encode),
          ...['v1.listPayments', '', 'constructor', 5, null].map((other) => encode({ ...content, o: other })),
          ...[{ location_id: 'L1' }, [], null, 'x', { a: 1 }].map((other) => encode({ ...content, p: other })),
          ...[[], null, 'x', 5].map((other) => encode({ ...content, q: other })),
          ...[
            null,
            [],
            [a[0]],
            [...a, 1],
            [String(a[0]), a[1]],
            [a[0], 5],
            [a[0], null],
            [1.5, a[1]],
            [1e300, a[1]],
            [-1e15, a[1]],
            [253_402_300_800_000, a[1]],
            [-62_135_596_800_001, a[1]],
            [a[0], 'a\0b'],
            [a[0], '\ud800'],
          ].map((other) => encode({ ...content, a: other })),
          Buffer.from(`{"v":1,"o":"${o}","p":{},"q":{},"a":[1e400,"x"]}`).toString('base64url'),
          Buffer.from('['.repeat(3000)).toString('base64url'),
        ];
        for (const token of forged) {
          const answer = await get(`?${tokenName}=${token}`);
          expect(expectRefusal(answer, path, BAD_TOKEN).field, String(token)).toBe(tokenName);
        }
      }));

    it('refuses page tokens whose query was tampered with', () =>
      writingNothing(async () => {
        const content = decode(tokenIn(await get('?limit=1')));
        const wrong: Json[] = [{ limit: '1' }, { limit: 1.5 }, { limit: [] }, { limit: {} }];
        if (limit.over === 'refuse') wrong.push({ limit: 0 }, { limit: limit.max + 1 }, { limit: 1e21 });
        for (const [name, schema] of filters) {
          const values = schema.enum ? ['sideways'] : schema.format === 'date-time' ? BAD_TIMES : ['x'.repeat(256)];
          for (const value of [...values, 5, true, [], {}, 'a\0', '\ud800']) wrong.push({ [name]: value });
        }
        for (const q of wrong) {
          const answer = await get(`?${tokenName}=${encode({ ...content, q })}`);
          expect(expectRefusal(answer, path, BAD_TOKEN).field, JSON.stringify(q)).toBe(tokenName);
        }
      }));

    it('survives page tokens that could be ours but are not', () =>
      writingNothing(async () => {
        const content = decode(tokenIn(await get('?limit=1')));
        const [at, id] = content['a'] as [number, string];
        for (const a of [
          [at, ''],
          [at, 'not-an-id'],
          [at, 'x'.repeat(2000)],
          [at, "'; drop table employees; --"],
          [0, id],
          [-1, id],
          [-62_135_596_800_000, id],
          [253_402_300_799_999, id],
        ]) {
          const answer = await get(`?${tokenName}=${encode({ ...content, a })}`);
          if (answer.status !== 200)
            expect(expectRefusal(answer, path, BAD_TOKEN).field, JSON.stringify(a)).toBe(tokenName);
        }
        for (const q of [{ unknown: 1 }, { __proto__: null, constructor: 1 }, { limit: null }, {}]) {
          const answer = await get(`?${tokenName}=${encode({ ...content, q })}`);
          expect(answer.status, answer.text).toBe(200);
        }
      }));

    it('refuses the page tokens of every other list, and of the same list elsewhere', async () => {
      for (const other of operations.filter((each) => each.page && isBuilt(each) && each !== operation)) {
        const search = await send(other, {}, '?limit=1');
        const link = search.rawHeaders[search.rawHeaders.indexOf('Link') + 1] ?? '';
        const token = search.body.cursor ?? /batch_token=([\w-]+)/.exec(link)?.[1];
        expect(token, nameOf(other)).toEqual(expect.any(String));
        expect(expectRefusal(await get(`?${tokenName}=${token}`), path, BAD_TOKEN).field).toBe(tokenName);
      }
    });

    it('lets the page token win over parameters that are repeated with it (decision 6)', async () => {
      const token = tokenIn(await get('?limit=2'));
      const [alone, ...others] = [
        await get(`?${tokenName}=${token}`),
        await get(`?limit=2&${tokenName}=${token}`),
        await get(`?limit=7&${tokenName}=${token}`),
        await get(`?${tokenName}=${token}&limit=abc&${filters.map(([name]) => `${name}=nonsense`).join('&')}`),
      ];
      expect(itemsIn(alone as Answer)).toHaveLength(2);
      for (const each of others) expect(itemsIn(each)).toEqual(itemsIn(alone as Answer));
    });
  });
}

function decodeIfPossible(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

describe('v2.listMerchants, given a bad query', () => {
  it('refuses a cursor that is no whole number, and names it', async () => {
    for (const cursor of ['abc', '1.5', '%00', '%ff', '[]']) {
      const answer = await server.call('GET', `/v2/merchants?cursor=${cursor}`, { token: business.merchant.token });
      expectNamed(answer, '/v2/merchants', 'cursor');
    }
  });
});

describe('a clock at the end of all times', () => {
  it('goes no further than what can be kept', async () => {
    const { id, token } = await server.createMerchant({ clock: { now: '9999-12-31T23:59:59.999Z' } });
    const clock = `/sandbox/merchants/${id}/clock`;
    const body = { first_name: 'Last', last_name: 'Hire' };
    expect((await server.call('POST', '/v1/me/employees', { token, body })).status).toBe(200);
    expect((await server.operator('GET', clock)).body.clock.now).toBe('9999-12-31T23:59:59.999Z');
    expect((await server.operator('POST', clock, { frozen: true })).status).toBe(200);
    for (const advance of ['PT1S', 'P5Y']) {
      expectNamed(await server.operator('POST', clock, { advance }), clock, 'advance');
    }
  });
});

describe('headers that are not what they should be', () => {
  it.each([
    ['cookie', 'tillhouse_session'],
    ['cookie', '=;=;;=%00; tillhouse_session=%'],
    ['cookie', `tillhouse_session=${'x'.repeat(5000)}`],
    ['authorization', `Bearer ${'x'.repeat(5000)}`],
    ['authorization', 'Bearer \u00e9\u00ff'],
    ['content-type', 'application/json; charset=\u00ff'],
    ['accept', 'image/png'],
    ['origin', 'null'],
  ])('%s: %s is answered with 4xx', async (name, value) => {
    for (const [method, path] of [
      ['GET', '/dashboard/employees'],
      ['GET', '/v1/me/employees'],
      ['POST', '/sandbox/merchants'],
    ] as const) {
      const { status } = readRefusal(await server.call(method, path, { headers: { [name]: value } }), path);
      expect([401, 403]).toContain(status);
    }
  });
});

/** Sends bytes as they are and returns all that comes back before the connection ends. */
function talk(bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(server.baseUrl);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setTimeout(5000, () => socket.destroy(new Error('the server neither answered nor hung up')));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(Buffer.concat(chunks).toString());
      else reject(error);
    });
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

describe('bytes that are not a request', () => {
  const ask = (line: string, ...headers: string[]): string => [line, ...headers, '', ''].join('\r\n');
  const host = 'Host: localhost';

  it.each([
    ['garbage', 'garbage\r\n\r\n', 400],
    ['binary', Buffer.from([0x16, 0x03, 0x01, 0x00, 0xff, 0x0d, 0x0a, 0x0d, 0x0a]), 400],
    ['an unknown method', ask('BREW /v2/employees HTTP/1.1', host), 400],
    ['an unknown version', ask('GET /v2/employees HTTP/9.9', host), 400],
    ['a blank in a header name', ask('GET /v2/employees HTTP/1.1', host, 'bad header: x'), 400],
    ['a NUL in a header', ask('GET /v2/employees HTTP/1.1', host, 'x: a\0b'), 400],
    ['a negative length', ask('POST /v2/payments HTTP/1.1', host, 'Content-Length: -1'), 400],
    ['two lengths', ask('POST /v2/payments HTTP/1.1', host, 'Content-Length: 1', 'Content-Length: 2'), 400],
    [
      'a length and chunks',
      ask('POST /v2/payments HTTP/1.1', host, 'Content-Length: 5', 'Transfer-Encoding: chunked'),
      400,
    ],
    ['a header over 16 KiB', ask('GET /v2/employees HTTP/1.1', host, `x: ${'x'.repeat(17 * 1024)}`), 431],
    [
      'many headers over 16 KiB',
      ask('GET /v1/me HTTP/1.1', host, ...Array.from({ length: 1500 }, (_, n) => `x-${n}: 0123456789`)),
      431,
    ],
    ['a path over 16 KiB', ask(`GET /v1/${'x'.repeat(17 * 1024)} HTTP/1.1`, host), 431],
  ])('%s is answered with 4xx and hung up on', async (_, bytes, status) => {
    const answer = await talk(bytes);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    for (const line of ['x-content-type-options: nosniff', 'content-type: application/json', 'connection: close']) {
      expect(head.toLowerCase()).toContain(line);
    }
    expect(head.toLowerCase()).toMatch(/^x-request-id: [0-9a-f-]{36}$/m);
    const { errors } = JSON.parse(body) as { errors: Json[] };
    expect(Object.keys(errors[0] ?? {})).toEqual(['category', 'code', 'detail']);
    expect(body).not.toMatch(/HPE_|parse|postgres|node_modules/i);
  });

  it.each([
    ['HTTP/1.1 without a host', ask('GET /v2/employees HTTP/1.1')],
    ['a request in absolute form', ask('GET http://localhost/v1/me HTTP/1.1', host, 'Connection: close')],
    ['OPTIONS *', ask('OPTIONS * HTTP/1.1', host, 'Connection: close')],
    ['a foreign host name', ask('GET /v1/me HTTP/1.1', 'Host: evil.example', 'Connection: close')],
    ['HTTP/1.0 without a host', ask('GET /v1/me HTTP/1.0')],
    ['a path that does not begin with a slash', ask('GET v1/me HTTP/1.1', host, 'Connection: close')],
    [
      'an unknown expectation',
      ask('POST /v2/payments HTTP/1.1', host, 'Expect: miracles', 'Content-Length: 0', 'Connection: close'),
    ],
    ['an upgrade', ask('GET /v1/me HTTP/1.1', host, 'Connection: upgrade, close', 'Upgrade: websocket')],
    [
      'broken chunks',
      `${ask('POST /sandbox/merchants HTTP/1.1', host, 'Authorization: Bearer operator-key-of-the-tests', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}zz\r\nnope\r\n`,
    ],
  ])('%s is answered with 4xx', (_, bytes) =>
    writingNothing(async () => {
      expect(await talk(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
    }),
  );

  it('a request that is broken off writes nothing, and the server goes on', () =>
    writingNothing(async () => {
      const { hostname, port } = new URL(server.baseUrl);
      const head = ask(
        'POST /sandbox/merchants HTTP/1.1',
        host,
        'Authorization: Bearer operator-key-of-the-tests',
        'Content-Type: application/json',
        'Content-Length: 1000',
      );
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(`${head}{"business_name":`, () => socket.destroy());
        });
        socket.on('close', () => resolve());
      });
      expect((await server.call('GET', '/readyz')).status).toBe(200);
    }));
});
