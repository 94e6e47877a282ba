/** The examples of the API reference run: each request of the document succeeds, and its response is the one that the document shows. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replaceSamples } from '../../src/api/example-ids.js';
import { fullName, type Operation } from '../../src/api/operation.js';
import { responseSchema } from '../../src/api/routes.js';
import { SAMPLE_VALUES } from '../../src/api/sample-ids.js';
import { operations } from '../../src/operations.js';
import { Receiver } from '../support/receiver.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { expectValid } from '../support/valid-response.js';
import { requestOf } from './example-request.js';
import {
  CREATED,
  credentialsOf,
  type ExampleShop,
  openExampleShop,
  prepare,
  rankOf,
  recordsOf,
} from './example-shop.js';
import { Repeatable } from './repeatable.js';
import { SAMPLE_RECEIVER } from './trial.js';

const RECORDED = fileURLToPath(new URL('../../docs/examples.json', import.meta.url));

const documented = operations.toSorted((one, other) => rankOf(fullName(one)) - rankOf(fullName(other)));

/** More elements of a list say nothing new. */
const MAX_SHOWN = 3;

/** Where the examples say that the server listens. */
const SAMPLE_HOST = '127.0.0.1:4000';

/** A list with its first elements. */
function shorten({ page }: Operation, body: unknown): unknown {
  if (!page) return body;
  if (Array.isArray(body)) return body.slice(0, MAX_SHOWN);
  const cut = (value: unknown) => (Array.isArray(value) ? value.slice(0, MAX_SHOWN) : value);
  return Object.fromEntries(Object.entries(body as object).map(([name, value]) => [name, cut(value)]));
}

describe('the example of an operation', () => {
  let server: TestServer;
  let receiver: Receiver;
  let shop: ExampleShop;
  /** The values of this run, by the samples of the examples. */
  let records: Record<string, string>;
  const repeatable = new Repeatable();
  const responses: Record<string, unknown> = {};

  beforeAll(async () => {
    [server, receiver] = await Promise.all([startTestServer(), Receiver.open()]);
    shop = await openExampleShop(server);
    records = { ...recordsOf(shop), [SAMPLE_RECEIVER]: receiver.url };
  });
  afterAll(async () => {
    await receiver.close();
    await server.stop();
  });

  it.each(documented.map((each) => [fullName(each), each] as const))('succeeds: %s', async (name, operation) => {
    const { path, body, schemes } = requestOf(operation);
    const prepared = await prepare(name, shop, { server, receiverUrl: receiver.url });
    const used = { ...records, ...prepared.samples };
    const answer = await server.call(operation.method, replaceSamples(path, used), {
      ...(prepared.credentials ?? credentialsOf(schemes, shop, operation.path)),
      ...(body !== undefined && { body: JSON.parse(replaceSamples(JSON.stringify(body), used)) }),
    });
    expect(answer.status, answer.text).toBe(200);
    expectValid(responseSchema(operation), answer.body);
    const created = CREATED[name];
    if (created) {
      const id = created.at.reduce((node, key) => node[key], answer.body);
      records[created.sample] = id;
      used[created.sample] = id;
    }
    const { [SAMPLE_VALUES.version]: _, ...named } = used; // short: other texts may contain it by chance
    const samples = new Map(Object.entries(named).map(([sample, real]) => [real, sample]));
    const shown = shorten(operation, answer.body);
    samples.set(server.baseUrl, `http://${SAMPLE_HOST}`).set(new URL(server.baseUrl).host, SAMPLE_HOST);
    responses[name] = repeatable.replace(shown, samples);
  });

  it('has the response that the document shows; `npm run docs` records them', async () => {
    expect(Object.keys(responses)).toHaveLength(documented.length);
    const sorted = Object.fromEntries(documented.map((each) => [fullName(each), responses[fullName(each)]]));
    await expect(`${JSON.stringify(sorted, null, 1)}\n`).toMatchFileSnapshot(RECORDED);
  });
});

describe('an operation without a complete example', () => {
  it('is refused by this test', () => {
    const find = (name: string) => documented.find((each) => fullName(each) === name) as Operation;
    const { example: _, ...withoutBody } = find('v2.createPayment');
    expect(() => requestOf(withoutBody)).toThrow('v2.createPayment has no complete example');
    const { example: _body, ...edit } = find('dashboard.updateItem');
    expect(() => requestOf(edit)).toThrow('dashboard.updateItem has no complete example');
    const { example: __, ...withoutQuery } = find('v2.listCashDrawerShifts');
    expect(() => requestOf(withoutQuery)).toThrow('v2.listCashDrawerShifts has no complete example');
    expect(() => requestOf({ ...find('v2.getPayment'), path: '/v2/payments/{unheard_of_id}' })).toThrow('no complete');
  });
});
