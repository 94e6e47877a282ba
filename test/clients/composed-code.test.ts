/** The code that the console shows for a request: as a command of curl, in JavaScript and in Python, it sends exactly this request. */
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import * as square from 'square';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeApi } from '../../src/api/openapi.js';
import { operations } from '../../src/operations.js';
import { asCurl } from '../../web/console/try/as-curl.js';
import { asJavaScript } from '../../web/console/try/as-javascript.js';
import { asPython } from '../../web/console/try/as-python.js';
import { type Composed, exampleOf, pathOf, SCHEMES } from '../../web/console/try/composed.js';
import { readApi } from '../../web/console/try/described.js';
import { isInstalled } from '../support/installed.js';

const run = promisify(execFile);
const CREDENTIALS: Readonly<Record<string, string>> = {
  ACCESS_TOKEN: 'EAAA-a-token',
  APPLICATION_SECRET: 'sandbox-a-secret',
  PUBLISHABLE_KEY: 'pub_a-key',
  DEVICE_TOKEN: 'a-device-token',
  EMPLOYEE_SESSION: 'a-session',
  OPERATOR_KEY: 'an-operator-key',
};

interface Sent {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly session: string | undefined;
  readonly body: unknown;
}

const api = readApi(JSON.stringify(describeApi(operations)));
const examples = api.operations.map((operation) => exampleOf(operation, api.models, () => 'a-new-key'));

/** Texts that a language could misread, and a query. */
const find = (name: string) => examples.find(({ operation }) => operation.name === name) as Composed;
const ODD: readonly Composed[] = [
  {
    ...find('v2.createPayment'),
    body: { ...(find('v2.createPayment').body as object), note: `It's "5 $HOME" \\ é\n` },
  },
  { ...find('v2.createPayment'), body: { ...(find('v2.createPayment').body as object), autocomplete: false } },
  { ...find('v2.listPayments'), values: { limit: '3', sort_order: 'ASC', begin_time: '2026-03-02T16:00:00Z' } },
  { ...find('v1.listPayments'), values: { ...find('v1.listPayments').values, limit: '3', order: 'DESC' } },
  { ...find('v1.updateEmployee'), body: { last_name: "O'Brien", role_ids: [] } },
];

let recorder: Server;
let baseUrl: string;
const received: Sent[] = [];

beforeAll(async () => {
  recorder = createServer(async (request, response) => {
    received.push(await readSent(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
});
afterAll(() => recorder.close());

async function readSent(request: IncomingMessage): Promise<Sent> {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { method, url: path, headers } = request;
  const authorization = headers.authorization === 'Bearer' ? undefined : headers.authorization; // an empty token
  const session = headers['tillhouse-employee-session'] as string | undefined;
  return { method, path, authorization, session, body: text === '' ? undefined : JSON.parse(text) };
}

function expectedOf(composed: Composed): Sent {
  const { operation, body } = composed;
  const scheme = operation.scheme && SCHEMES[operation.scheme];
  const authorization = scheme && `${scheme.word} ${CREDENTIALS[scheme.variable]}`;
  const session = operation.scheme === 'deviceToken' ? CREDENTIALS['EMPLOYEE_SESSION'] : undefined;
  return { method: operation.method, path: pathOf(composed), authorization, session, body };
}

/** The query in one order: clients have their own. An empty body is like none. */
function sorted({ path = '', body, ...rest }: Sent): Sent {
  const { pathname, searchParams } = new URL(path, baseUrl);
  searchParams.sort();
  return { ...rest, body: JSON.stringify(body) === '{}' ? undefined : body, path: `${pathname}?${searchParams}` };
}

async function expectSent(send: (all: readonly Composed[]) => Promise<unknown>): Promise<void> {
  received.length = 0;
  const all = [...examples, ...ODD];
  await send(all);
  expect(received.map(sorted)).toEqual(all.map((composed) => sorted(expectedOf(composed))));
}

/** Programs as the page shows them, without the line that imports. */
async function runJavaScript(code: string): Promise<void> {
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...given: unknown[]) => Promise<void>;
  const rest = code.replace("import { SquareClient } from 'square';\n", '');
  const program = new AsyncFunction('SquareClient', 'process', 'console', rest);
  await program(square.SquareClient, { env: CREDENTIALS }, { log: () => {} });
}

describe('the code of every example', () => {
  const env = { ...process.env, ...CREDENTIALS };

  it('covers what programs call', () => expect(examples.length).toBeGreaterThan(150));

  it.runIf(isInstalled('curl'))('sends the request with curl', () =>
    expectSent((all) => run('bash', ['-ec', all.map((each) => `${asCurl(each, baseUrl)} -sf`).join('\n')], { env })),
  );

  it('sends the request with the package square', () =>
    expectSent(async (all) => {
      for (const each of all) await runJavaScript(asJavaScript(each, baseUrl));
    }));

  it.runIf(isInstalled('python3'))('sends the request with Python', () =>
    expectSent((all) => run('python3', ['-c', all.map((each) => asPython(each, baseUrl)).join('\n')], { env })),
  );
});
