/** The discovery operations, which clients call first: the business and its locations (contract 25). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newOwnerEmail, PASSWORD } from '../../support/dashboard.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const ADDRESS = {
  address_line_1: '1 Main Street',
  address_line_2: 'Floor 2',
  address_line_3: 'Door 3',
  locality: 'Springfield',
  sublocality: 'Old Town',
  sublocality_2: 'North',
  sublocality_3: 'Corner',
  administrative_district_level_1: 'OR',
  administrative_district_level_2: 'Lane County',
  administrative_district_level_3: 'District 9',
  postal_code: '97477',
  country: 'US',
  first_name: 'Ana',
  last_name: 'Ruiz',
  organization: 'Coffee & Sons',
};

let server: TestServer;
let merchant: TestMerchant;
let plain: TestMerchant;
let email: string;

beforeAll(async () => {
  server = await startTestServer({ config: { demo: true } });
  email = newOwnerEmail();
  merchant = await server.createMerchant({
    business_name: 'Coffee & Sons',
    country: 'CA',
    currency: 'CAD',
    language_code: 'fr-CA',
    timezone: 'America/Toronto',
    owner: { email, password: PASSWORD },
    clock: { now: '2020-02-26T10:00:00.789Z', frozen: true },
    locations: [
      { name: 'Main Street', address: ADDRESS, phone_number: '+1 415-555-1234' },
      { name: 'Harbour', timezone: 'America/Vancouver' },
    ],
  });
  plain = await server.createMerchant();
});
afterAll(() => server.stop());

const get = (path: string, { token }: { token: string } = merchant) => server.call('GET', path, { token });

async function demoToken(): Promise<string> {
  const [demo] = await server.database.sql<{ merchantId: string }[]>`select merchant_id from merchants where is_demo`;
  return server.createToken(demo?.merchantId ?? '', ['MERCHANT_PROFILE_READ']);
}

const APPROVED = ['CREDIT_CARD_PROCESSING', 'EMPLOYEE_MANAGEMENT', 'TIMECARD_MANAGEMENT'];

describe('v1.retrieveBusiness', () => {
  it('returns the business with the address of its main location', async () => {
    const answer = await get('/v1/me');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: merchant.id,
      name: 'Coffee & Sons',
      email,
      account_type: 'BUSINESS',
      account_capabilities: APPROVED,
      country_code: 'CA',
      language_code: 'fr-CA',
      currency_code: 'CAD',
      business_name: 'Coffee & Sons',
      business_type: 'OTHER',
      business_address: ADDRESS,
      shipping_address: ADDRESS,
      business_phone: { calling_code: '+1', number: '4155551234' },
    });
  });

  it('omits fields that the business does not have', async () => {
    expect((await get('/v1/me', plain)).body).toEqual({
      id: plain.id,
      name: 'Sandbox business',
      account_type: 'BUSINESS',
      account_capabilities: APPROVED,
      country_code: 'US',
      language_code: 'en-US',
      currency_code: 'USD',
      business_name: 'Sandbox business',
      business_type: 'OTHER',
    });
  });

  it('returns in account_capabilities whether the account is approved (decision 0020)', async () => {
    const own = await server.createMerchant({ approved: false });
    const capabilities = async () => (await get('/v1/me', own)).body.account_capabilities;
    expect(await capabilities()).toEqual(['CREDIT_CARD_PROCESSING']);
    await server.operator('PUT', `/api/sandbox/merchants/${own.id}/approval`, { approved: true });
    expect(await capabilities()).toEqual(APPROVED);
    await server.operator('PUT', `/api/sandbox/merchants/${own.id}/approval`, { approved: false });
    expect(await capabilities()).toEqual(['CREDIT_CARD_PROCESSING']);
  });

  it.each([
    ['+1 415-555-1234', '+1', '4155551234'],
    ['+14155551234', '+1', '4155551234'],
    ['+1 (415) 555-1234', '+1', '4155551234'],
    ['+44 20 7946 0958', '+44', '2079460958'],
    ['+442079460958', '+44', '2079460958'],
    ['+353 1 555 0100', '+353', '15550100'],
    ['+35315550100', '+353', '15550100'],
    ['+74955550100', '+7', '4955550100'],
    ['+81 3-5555-0100', '+81', '355550100'],
    ['+86-10-5555-0100', '+86', '1055550100'],
    ['+971 4 555 0100', '+971', '45550100'],
  ])('splits the phone number %s into %s and %s', async (phone_number, calling_code, number) => {
    const own = await server.createMerchant({ locations: [{ phone_number }] });
    expect((await get('/v1/me', own)).body.business_phone).toEqual({ calling_code, number });
    expect((await get('/v2/locations/main', own)).body.location.phone_number).toBe(phone_number);
  });

  it('returns the digits of a phone number without a calling code', async () => {
    const own = await server.createMerchant({ locations: [{ phone_number: '(415) 555-1234' }] });
    expect((await get('/v1/me', own)).body.business_phone).toEqual({ calling_code: '', number: '4155551234' });
  });

  it('returns the website address as market_url', async () => {
    const { body } = await get('/v1/me', { token: await demoToken() });
    expect(body).toMatchObject({
      name: 'Maren Holt',
      business_name: 'Juniper & Rye',
      business_type: 'RESTAURANTS',
      market_url: 'https://juniper-and-rye.example',
    });
  });

  it('is read-only: POST returns 404 in v1', async () => {
    const answer = await server.call('POST', '/v1/me', { token: merchant.token, body: {} });
    expect([answer.status, answer.body.type]).toEqual([404, 'not_found']);
  });
});

describe('v1.listLocations', () => {
  it('returns each location as a merchant of its own, in the order of their creation', async () => {
    const answer = await get('/v1/me/locations');
    const shared = {
      name: 'Coffee & Sons',
      email,
      account_type: 'LOCATION',
      account_capabilities: APPROVED,
      country_code: 'CA',
      language_code: 'fr-CA',
      currency_code: 'CAD',
      business_name: 'Coffee & Sons',
      business_type: 'OTHER',
    };
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual([
      {
        ...shared,
        id: merchant.locationIds[0],
        location_details: { nickname: 'Main Street' },
        business_address: ADDRESS,
        shipping_address: ADDRESS,
        business_phone: { calling_code: '+1', number: '4155551234' },
      },
      { ...shared, id: merchant.locationIds[1], location_details: { nickname: 'Harbour' } },
    ]);
  });

  it("never returns another merchant's locations", async () => {
    const ids = (await get('/v1/me/locations', plain)).body.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(plain.locationIds);
  });

  it('returns the approval in account_capabilities too', async () => {
    const own = await server.createMerchant({ approved: false });
    expect((await get('/v1/me/locations', own)).body[0].account_capabilities).toEqual(['CREDIT_CARD_PROCESSING']);
  });
});

describe('v2.listLocations', () => {
  it('returns every location with its time zone, in the order of their creation', async () => {
    const shared = {
      capabilities: ['CREDIT_CARD_PROCESSING'],
      status: 'ACTIVE',
      created_at: '2020-02-26T10:00:00.000Z',
      merchant_id: merchant.id,
      country: 'CA',
      language_code: 'fr-CA',
      currency: 'CAD',
      business_name: 'Coffee & Sons',
      type: 'PHYSICAL',
    };
    const answer = await get('/v2/locations');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      locations: [
        {
          ...shared,
          id: merchant.locationIds[0],
          name: 'Main Street',
          timezone: 'America/Toronto',
          address: ADDRESS,
          phone_number: '+1 415-555-1234',
        },
        { ...shared, id: merchant.locationIds[1], name: 'Harbour', timezone: 'America/Vancouver' },
      ],
    });
    expect(answer.headers['square-version']).toBe('2020-02-26');
  });

  it('returns every field that a location can have', async () => {
    const { body } = await get('/v2/locations', { token: await demoToken() });
    expect(body.locations).toHaveLength(2);
    expect(body.locations[0]).toEqual({
      id: expect.stringMatching(/^L[A-Z0-9]{12}$/),
      name: 'Mission Street',
      address: {
        address_line_1: '2190 Mission Street',
        locality: 'San Francisco',
        administrative_district_level_1: 'CA',
        postal_code: '94110',
        country: 'US',
      },
      timezone: 'America/Los_Angeles',
      capabilities: ['CREDIT_CARD_PROCESSING'],
      status: 'ACTIVE',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      merchant_id: expect.stringMatching(/^M[A-Z0-9]{12}$/),
      country: 'US',
      language_code: 'en-US',
      currency: 'USD',
      phone_number: '+1 415-555-0148',
      business_name: 'Juniper & Rye',
      type: 'PHYSICAL',
      website_url: 'https://juniper-and-rye.example',
      business_hours: {
        periods: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'].map((day_of_week) => ({
          day_of_week,
          start_local_time: '07:00:00',
          end_local_time: '18:00:00',
        })),
      },
      business_email: 'mission@juniper-and-rye.example',
      twitter_username: 'juniperandrye',
      instagram_username: 'juniperandrye',
      facebook_url: 'https://social.example/juniperandrye',
      coordinates: { latitude: 37.7621, longitude: -122.4193 },
      logo_url: 'https://juniper-and-rye.example/logo.png',
      pos_background_url: 'https://juniper-and-rye.example/register.png',
      mcc: '5812',
      description: 'Gin, rye and breakfast since 2014.',
    });
  });
});

describe('v2.retrieveLocation', () => {
  it('returns each location as the list does', async () => {
    const { locations } = (await get('/v2/locations')).body;
    for (const [index, id] of merchant.locationIds.entries()) {
      const answer = await get(`/v2/locations/${id}`);
      expect([answer.status, answer.body]).toEqual([200, { location: locations[index] }]);
    }
  });

  it('accepts main as the id of the location created first', async () => {
    expect((await get('/v2/locations/main')).body.location.id).toBe(merchant.locationIds[0]);
    expect((await get('/v2/locations/main', plain)).body.location.id).toBe(plain.locationIds[0]);
  });

  it.each(['L000000000000', 'me', 'MAIN', '%00', 'x'.repeat(10_000)])('returns 404 NOT_FOUND for %s', async (id) => {
    const answer = await get(`/v2/locations/${id}`);
    expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'NOT_FOUND']);
  });

  it("returns 404 for another merchant's location (decision 0015)", async () => {
    const [foreign = ''] = plain.locationIds;
    const [theirs, missing] = [await get(`/v2/locations/${foreign}`), await get('/v2/locations/L000000000000')];
    expect(theirs.status).toBe(404);
    expect(theirs.text.replaceAll(foreign, 'ID')).toBe(missing.text.replaceAll('L000000000000', 'ID'));
  });
});

describe('v2.listMerchants and v2.retrieveMerchant', () => {
  const shown = () => ({
    id: merchant.id,
    business_name: 'Coffee & Sons',
    country: 'CA',
    language_code: 'fr-CA',
    currency: 'CAD',
    status: 'ACTIVE',
    main_location_id: merchant.locationIds[0],
  });

  it('return the one business under the singular name that clients read', async () => {
    const answer = await get('/v2/merchants');
    expect([answer.status, answer.body]).toEqual([200, { merchant: [shown()] }]);
  });

  it('have a single page, and refuse a cursor that is not an integer', async () => {
    expect((await get('/v2/merchants?cursor=1')).body).toEqual({});
    expect((await get('/v2/merchants?cursor=')).body).toEqual({ merchant: [shown()] });
    const answer = await get('/v2/merchants?cursor=abc');
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'cursor']);
  });

  it('return it by its id and by me', async () => {
    for (const id of [merchant.id, 'me']) {
      const answer = await get(`/v2/merchants/${id}`);
      expect([answer.status, answer.body]).toEqual([200, { merchant: shown() }]);
    }
  });

  it("return 404 for another merchant's id (decision 0015)", async () => {
    const [theirs, missing] = [await get(`/v2/merchants/${plain.id}`), await get('/v2/merchants/M000000000000')];
    expect([theirs.status, theirs.body.errors[0].code]).toEqual([404, 'NOT_FOUND']);
    expect(theirs.text.replaceAll(plain.id, 'ID')).toBe(missing.text.replaceAll('M000000000000', 'ID'));
  });
});

describe('discovery without approval or permission', () => {
  it.each(['/v1/me', '/v1/me/locations', '/v2/locations', '/v2/locations/main', '/v2/merchants', '/v2/merchants/me'])(
    'GET %s requires MERCHANT_PROFILE_READ and no approval',
    async (path) => {
      const own = await server.createMerchant({ approved: false });
      expect((await get(path, own)).status).toBe(200);
      const few = { token: await server.createToken(own.id, ['EMPLOYEES_READ']) };
      expect((await get(path, few)).status).toBe(403);
    },
  );
});
