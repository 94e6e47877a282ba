/** Which operations of the published interface the server has. `npm run docs` writes the lists. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations, pages } from '../../src/operations.js';
import { PARAMETERS, RETURNED, SENT } from '../contract/left-out.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { listPublished, type PublishedOperation } from './published-operations.js';

const published = listPublished();

const routeOf = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`;

const ours = new Set([...operations, ...pages].map(routeOf));
const isOurs = (each: PublishedOperation): boolean => ours.has(routeOf(each));
const missing = published.filter((each) => !isOurs(each));

describe('the published operations', () => {
  it('are listed for the server, so that it knows which of them it does not have', async () => {
    const lines = published.map(({ name, method, path }) => `${name} ${method} ${path}\n`);
    await expect(lines.join('')).toMatchFileSnapshot('../../src/api/published-operations.txt');
  });

  it('are in docs/compatibility.md, with those that are missing', async () => {
    await expect(printPage()).toMatchFileSnapshot('../../docs/compatibility.md');
  });

  it('have those of the contract among them', () => {
    expect(published.length - missing.length).toBeGreaterThan(41);
  });
});

describe('a published operation that the server does not have', () => {
  let server: TestServer;
  let merchant: TestMerchant;

  beforeAll(async () => {
    server = await startTestServer();
    merchant = await server.createMerchant();
  });
  afterAll(() => server.stop());

  it.each(missing.map((each) => [each.name, each] as const))(
    '%s is told apart from a record that does not exist',
    async (name, each) => {
      const path = each.path.replaceAll(/\{\w+\}/g, 'ABC123');
      const answer = await server.call(each.method, path, { token: merchant.token });
      expect([answer.status, answer.headers['tillhouse-not-implemented']]).toEqual([501, name]);
      const { type, message, errors } = answer.body;
      const isV1 = /^\/(?:v1|oauth2)\//.test(path);
      expect(isV1 ? [type] : [errors[0].category, errors[0].code]).toEqual(
        isV1 ? ['not_implemented'] : ['API_ERROR', 'NOT_IMPLEMENTED'],
      );
      expect(isV1 ? message : errors[0].detail).toContain(`does not implement ${name} (${each.method} ${each.path})`);
    },
  );

  it('is explained in the console', async () => {
    const { headers } = await server.call('POST', '/v2/customers', { token: merchant.token, body: {} });
    const { body } = await server.operator('GET', `/api/sandbox/requests/${headers['x-request-id']}`);
    expect(body.request).toMatchObject({ status: 501, not_implemented: 'customers.create' });
    const text = expect.stringContaining('The program called customers.create, which this server');
    expect(body.request.notes).toContainEqual({ tone: 'info', text });
  });

  it('needs a valid token in v2, like every path', async () => {
    expect((await server.call('POST', '/v2/customers', { body: {} })).status).toBe(401);
  });

  it('is no path with another method or another part', async () => {
    for (const [method, path, status] of [
      ['PATCH', '/v2/customers', 404],
      ['GET', '/v2/customers/a/b', 404],
      ['GET', '/v2/payments/nothing', 404],
      ['DELETE', '/v2/payments', 405],
    ] as const) {
      expect([method, path, (await server.call(method, path, { token: merchant.token })).status]).toEqual([
        method,
        path,
        status,
      ]);
    }
  });
});

/** By the group of the client. */
function printPage(): string {
  const groups = new Map<string, PublishedOperation[]>();
  for (const each of missing) {
    const group = each.name.slice(0, each.name.lastIndexOf('.'));
    groups.set(group, [...(groups.get(group) ?? []), each]);
  }
  const rows = [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([group, all]) => `| ${group} | ${all.map(({ name }) => `\`${name.slice(group.length + 1)}\``).join(', ')} |`);
  return `# Compatibility

The published clients for Node.js (\`square-connect\` 3 and \`square\` 46) know ${published.length} operations. This server has ${published.length - missing.length} of them.
\`npm run docs\` writes this page from the installed clients.

An operation that is missing is answered with 501, \`NOT_IMPLEMENTED\` in v2 and \`not_implemented\` in v1. The header
\`Tillhouse-Not-Implemented\` names it, and so do the console and the [log](logs.md). So it does not look like a record that does not exist.
In a sandbox, a [stub](stubs.md) can answer it.

## Missing operations

| group of the client | operations |
|---|---|
${rows.join('\n')}

## Missing fields and parameters

Of the operations that this server has, every field and parameter of both clients is compared with what the server takes and returns. All are
there, except these. \`Payment.wallet_details\` is the field \`wallet_details\` of the model \`Payment\`; \`*\` is every model.

A field that is sent and is not taken is ignored. A sandbox [says so](surfaces.md#ignored-fields).

### Not returned

${printReasons(RETURNED)}

### Not taken from bodies

${printReasons(SENT)}

### Not taken from queries

${printReasons(PARAMETERS)}
`;
}

function printReasons(reasons: typeof RETURNED): string {
  const rows = reasons.map(([reason, places]) => `| ${places.map((each) => `\`${each}\``).join(', ')} | ${reason} |`);
  return ['| fields | why |', '|---|---|', ...rows].join('\n');
}
