/** Locations and the business profile in the dashboard: create, edit, and edits of two people (decision 0152). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { pay } from '../../support/payments.js';
import { mainLocation } from '../../support/people.js';
import { makePng } from '../../support/pictures.js';
import { type ProductionPair, startProduction, type TestServer } from '../../support/server.js';

let pair: ProductionPair;
let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  pair = await startProduction();
  server = pair.sandbox;
});
afterAll(() => pair.stop());
beforeEach(async () => {
  owner = await createOwner(server, { locations: [{ name: 'Counter', timezone: 'America/New_York' }] });
});

const PATH = '/api/dashboard/locations';
const at = (id: string) => `${PATH}/${id}`;
const read = async (id = mainLocation(owner.merchant)) => (await owner.call('GET', at(id))).body;
const edit = async (change: Record<string, unknown>, id = mainLocation(owner.merchant)) => {
  const { version, location } = await read(id);
  const { name, timezone, status } = location;
  return owner.call('PUT', at(id), { body: { version, name, timezone, status, ...change } });
};
const closeOf = async (id: string) =>
  (
    await server.database.sql<{ dueAt: number }[]>`
      select due_at from due_work
      where merchant_id = ${owner.merchant.id} and kind = 'CLOSE_DAY' and subject_id = ${id}`
  )[0]?.dueAt ?? 0;

const PROFILE = {
  address: { address_line_1: '1 Main St', locality: 'Springfield', postal_code: '12345' },
  phone_number: '+1 415-555-0100',
  business_email: 'hello@example.com',
  website_url: 'https://example.com/shop',
  description: 'Bread',
  receipt_text: 'Thank you!\nCome again.',
  tip_percentages: [15, 20, 25],
  sales_tax: { name: 'Sales tax', percentage: '8.875', inclusion_type: 'ADDITIVE' },
  business_hours: [
    { day_of_week: 'MON', start_local_time: '09:00', end_local_time: '12:00' },
    { day_of_week: 'MON', start_local_time: '13:00', end_local_time: '02:00' },
  ],
};

describe('a location', () => {
  it('is created, also in production, with its own close, and every caller sees it', async () => {
    const created = await owner.call('POST', PATH, { body: { name: ' Harbour ', timezone: 'Asia/Tokyo', ...PROFILE } });
    expect(created.status).toBe(200);
    const { location, tip_percentages, receipt_text, sales_tax, timezone_can_change } = created.body;
    expect([location.name, location.timezone, timezone_can_change]).toEqual(['Harbour', 'Asia/Tokyo', true]);
    expect([tip_percentages, receipt_text, sales_tax]).toEqual([
      PROFILE.tip_percentages,
      PROFILE.receipt_text,
      PROFILE.sales_tax,
    ]);
    expect(location.business_hours.periods[1]).toEqual({
      day_of_week: 'MON',
      start_local_time: '13:00:00',
      end_local_time: '02:00:00',
    });
    expect(new Date(await closeOf(location.id)).getUTCHours()).toBe(8); // 17:00 in Tokyo
    const { locations } = (await server.call('GET', '/v2/locations', { token: owner.merchant.token })).body;
    expect(locations.map(({ name }: { name: string }) => name)).toEqual(['Counter', 'Harbour']);
    await pay(server, owner.merchant, { location_id: location.id });
    const inProduction = await pair.production.call('POST', PATH, {
      body: { name: 'Third', timezone: 'Europe/Berlin' },
      headers: { cookie: owner.cookie.replace(/^[^=]*=/, '__Host-tillhouse_session=') },
    });
    expect(inProduction.status).toBe(200);
  });

  it('is edited, and an empty field is removed', async () => {
    expect((await edit(PROFILE)).status).toBe(200);
    const { location } = await read();
    expect([location.address, location.phone_number]).toEqual([PROFILE.address, PROFILE.phone_number]);
    const cleared = await edit({ name: 'New name', website_url: '', status: 'INACTIVE' });
    expect(cleared.body.location).toMatchObject({ name: 'New name', status: 'INACTIVE' });
    expect(cleared.body.location.address).toBeUndefined();
    expect([cleared.body.tip_percentages, cleared.body.receipt_text]).toEqual([[], undefined]);
  });

  it('has a logo, which must be a picture of the business', async () => {
    const content = makePng(4, 4).toString('base64');
    const { picture } = (await owner.call('POST', '/api/dashboard/pictures', { body: { content } })).body;
    const { logo } = (await edit({ picture_id: picture.id })).body;
    expect(logo).toEqual({ picture_id: picture.id, url: picture.url });
    expect((await server.call('GET', logo.url)).status).toBe(200);
    const unknown = await edit({ picture_id: 'unknown' });
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([400, 'picture_id']);
    expect((await edit({ picture_id: '' })).body.logo).toBeUndefined();
  });

  it('keeps a name that looks like a script', async () => {
    const name = '<script>alert(1)</script>';
    expect((await edit({ name })).body.location.name).toBe(name);
  });

  it('is not overwritten by somebody who saw an older version', async () => {
    const { version, location } = await read();
    const { timezone, status } = location;
    expect((await edit({ name: 'By the first' })).status).toBe(200);
    const second = await owner.call('PUT', at(location.id), { body: { version, name: 'Second', timezone, status } });
    expect([second.status, second.body.errors[0].field]).toEqual([409, 'version']);
    expect((await read()).location.name).toBe('By the first');
    const body = { version: (await read()).version, timezone, status };
    const answers = await Promise.all(
      ['A', 'B', 'C'].map((name) => owner.call('PUT', at(location.id), { body: { ...body, name } })),
    );
    expect(answers.map(({ status: code }) => code).sort()).toEqual([200, 409, 409]);
  });

  it('can change its time zone, and its next close with it, until the first sale', async () => {
    const id = mainLocation(owner.merchant);
    expect((await edit({ timezone: 'Asia/Tokyo' })).status).toBe(200);
    expect(new Date(await closeOf(id)).getUTCHours()).toBe(8);
    await pay(server, owner.merchant, { location_id: id });
    const refused = await edit({ timezone: 'Europe/Berlin' });
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'timezone']);
    expect((await read()).timezone_can_change).toBe(false);
    expect((await edit({ name: 'Still editable' })).status).toBe(200);
  });

  it.each([
    ['no name', { name: '  ' }],
    ['a name that is too long', { name: 'x'.repeat(10_000) }],
    ['an unknown time zone', { timezone: 'Mars/Base' }],
    ['a script as website', { website_url: 'javascript:alert(1)' }],
    ['too many tips', { tip_percentages: [1, 2, 3, 4, 5] }],
    ['a tip that is no number', { tip_percentages: ['a lot'] }],
    ['a tax that is no number', { sales_tax: { name: 'Tax', percentage: 'x', inclusion_type: 'ADDITIVE' } }],
    [
      'an unknown day',
      { business_hours: [{ day_of_week: 'DAY', start_local_time: '09:00', end_local_time: '10:00' }] },
    ],
    [
      'hours that overlap',
      {
        business_hours: [
          { day_of_week: 'MON', start_local_time: '09:00', end_local_time: '13:00' },
          { day_of_week: 'MON', start_local_time: '12:00', end_local_time: '15:00' },
        ],
      },
    ],
    ['an unknown status', { status: 'GONE' }],
  ])('is refused with %s', async (_, change) => {
    expect((await edit(change)).status).toBe(400);
  });

  it('of another business does not exist', async () => {
    const stranger = await createOwner(server);
    const id = mainLocation(stranger.merchant);
    expect((await owner.call('GET', at(id))).status).toBe(404);
    const body = { version: 'x', name: 'Mine', timezone: 'UTC', status: 'ACTIVE' };
    expect((await owner.call('PUT', at(id), { body })).status).toBe(404);
  });
});

describe('the business', () => {
  it('is edited by only one of two people who saw the same version', async () => {
    const { merchant, profile } = (await owner.call('GET', '/api/dashboard/business')).body;
    const body = {
      version: profile.version,
      business_name: 'Renamed & Co',
      owner_name: 'Ana Ruiz',
      language_code: merchant.language_code,
      business_type: 'bakery',
    };
    const answer = await owner.call('PUT', '/api/dashboard/business', { body });
    expect([answer.status, answer.body.merchant.business_name, answer.body.profile.owner_name]).toEqual([
      200,
      'Renamed & Co',
      'Ana Ruiz',
    ]);
    const late = await owner.call('PUT', '/api/dashboard/business', { body: { ...body, owner_name: 'Bo' } });
    expect([late.status, late.body.errors[0].field]).toEqual([409, 'version']);
    const shown = await server.call('GET', '/v1/me', { token: owner.merchant.token });
    expect([shown.body.business_name, shown.body.name]).toEqual(['Renamed & Co', 'Ana Ruiz']);
    const { audit_events } = (await owner.call('GET', '/api/dashboard/audit-events')).body;
    expect(audit_events[0].kind).toBe('BUSINESS_CHANGED');
  });
});
