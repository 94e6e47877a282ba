/** The current client against a listening server: the v2 operations that it still supports. */
import { SquareClient, SquareError } from 'square';
import SquareConnect from 'square-connect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmployees } from '../support/employees.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { createFullBusiness, type FullBusiness, plain } from './full-business.js';

let server: TestServer;
let business: FullBusiness;
let client: SquareClient;

beforeAll(async () => {
  server = await startTestServer();
  business = await createFullBusiness(server);
  client = clientFor(business.token);
});
afterAll(() => server.stop());

function clientFor(token: string): SquareClient {
  return new SquareClient({ baseUrl: server.baseUrl, token, maxRetries: 0 });
}

/** This client's names for the names of the wire, at every depth. */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camelCase(name), inCamelCase(inner)]));
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The fields that both clients know. We do not have those that were added after 2020. */
function fieldsOf({ prototype }: { readonly prototype: object }): string[] {
  return Object.keys(prototype).map(camelCase).sort();
}

async function refusalOf(call: PromiseLike<unknown>): Promise<SquareError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof SquareError) return error;
    throw error;
  }
  throw new Error('the call was not refused');
}

describe('client.employees', () => {
  it('gets an employee with every field of the model', async () => {
    const { employee } = await client.employees.get({ id: String(business.owner['id']) });
    expect(Object.keys(employee ?? {}).sort()).toEqual(fieldsOf(SquareConnect.Employee));
    expect(plain(employee)).toEqual(inCamelCase(business.owner));
  });

  it('lists all pages with its own iterator', async () => {
    const merchant = await server.createMerchant();
    const made = await createEmployees(
      server,
      merchant,
      ['a', 'b', 'c', 'd', 'e'].map((first_name) => ({ first_name })),
    );
    const own = clientFor(merchant.token);
    const seen: unknown[] = [];
    for await (const { id } of await own.employees.list({ limit: 2 })) seen.push(id);
    expect(seen).toEqual(made.map(({ id }) => id));

    const page = await own.employees.list({ limit: 2 });
    const sizes = [page.data.length];
    while (page.hasNextPage()) sizes.push((await page.getNextPage()).data.length);
    expect(sizes).toEqual([2, 2, 1]);
    expect(page.response.cursor).toBeUndefined();
  });

  it('lists by location and status', async () => {
    const merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }] });
    const [one = '', two = ''] = merchant.locationIds;
    const [placed] = await createEmployees(server, merchant, [{ authorized_location_ids: [one] }, {}]);
    const { employees } = clientFor(merchant.token);
    const ids = async (request: Parameters<typeof employees.list>[0]) =>
      (await employees.list(request)).data.map(({ id }) => id);
    expect(await ids({ locationId: one, status: 'INACTIVE' })).toEqual([placed?.id]);
    expect(await ids({ locationId: two })).toEqual([]);
    expect(await ids({ status: 'ACTIVE' })).toEqual([]);
    expect(await ids({})).toHaveLength(2);
  });
});

describe('client.locations', () => {
  it('gets a location with every field of the model; `main` is the first location', async () => {
    const { location } = await client.locations.get({ locationId: business.locationIds[0] ?? '' });
    expect(plain(location)).toEqual(inCamelCase(business.mainLocation));
    expect(Object.keys(location ?? {}).sort()).toEqual(fieldsOf(SquareConnect.Location));
    expect((await client.locations.get({ locationId: 'main' })).location).toEqual(location);
  });

  it('lists all locations', async () => {
    const { locations } = await client.locations.list();
    expect(locations?.map(({ id }) => id)).toEqual(business.locationIds);
    expect(plain(locations?.[0])).toEqual(inCamelCase(business.mainLocation));
  });
});

describe('client.merchants', () => {
  it('lists the one merchant with its own iterator, and gets it by id and as `me`', async () => {
    const seen: unknown[] = [];
    for await (const merchant of await client.merchants.list()) seen.push(merchant);
    const shown = { ...(inCamelCase(business.merchant) as object), mainLocationId: business.locationIds[0] };
    expect(plain(seen)).toEqual([shown]);
    expect(Object.keys(seen[0] ?? {}).sort()).toEqual([...fieldsOf(SquareConnect.Merchant), 'mainLocationId'].sort());
    for (const merchantId of ['me', business.id]) {
      expect((await client.merchants.get({ merchantId })).merchant).toEqual(seen[0]);
    }
  });
});

describe('refusals', () => {
  it('arrive as SquareError with the status, the errors and the parsed body', async () => {
    const error = await refusalOf(client.employees.get({ id: 'nobody' }));
    const errors = [
      { category: 'INVALID_REQUEST_ERROR', code: 'NOT_FOUND', detail: expect.stringContaining('nobody') },
    ];
    expect(error.statusCode).toBe(404);
    expect(error.errors).toEqual(errors);
    expect(error.body).toEqual({ errors });
  });

  it('name the field, and have the right code for the credential', async () => {
    const forged = await refusalOf(client.employees.list({ cursor: 'forged' }));
    expect(forged.statusCode).toBe(400);
    expect(forged.errors).toMatchObject([{ code: 'INVALID_CURSOR', field: 'cursor' }]);

    const stranger = await refusalOf(clientFor('EAAAnobody').locations.list());
    expect(stranger.statusCode).toBe(401);
    expect(stranger.errors).toMatchObject([{ category: 'AUTHENTICATION_ERROR', code: 'UNAUTHORIZED' }]);

    const token = await server.createToken(business.id, ['EMPLOYEES_READ']);
    const short = await refusalOf(clientFor(token).merchants.list());
    expect(short.statusCode).toBe(403);
    expect(short.errors).toMatchObject([{ category: 'AUTHENTICATION_ERROR', code: 'INSUFFICIENT_SCOPES' }]);
  });

  it("for another merchant's ids equal those for unknown ids", async () => {
    const other = await server.createMerchant();
    for (const call of [
      () => client.locations.get({ locationId: other.locationIds[0] ?? '' }),
      () => client.merchants.get({ merchantId: other.id }),
    ]) {
      const error = await refusalOf(call());
      expect(error.statusCode).toBe(404);
      expect(error.errors).toMatchObject([{ code: 'NOT_FOUND' }]);
    }
  });
});
