/** A business with a value in every field that the published clients know. */
import type { TestMerchant, TestServer } from '../support/server.js';

export const ADDRESS = {
  address_line_1: '1 Main Street',
  address_line_2: 'Floor 2',
  address_line_3: 'Back door',
  locality: 'San Francisco',
  sublocality: 'Mission',
  sublocality_2: 'Inner Mission',
  sublocality_3: 'Block 7',
  administrative_district_level_1: 'CA',
  administrative_district_level_2: 'San Francisco County',
  administrative_district_level_3: 'District 9',
  postal_code: '94103',
  country: 'US',
  first_name: 'Ana',
  last_name: 'Ruiz',
  organization: "Ana's Coffee",
};

/** Fields that the sandbox does not set, under the names of the stored profile. */
const PROFILE = {
  description: 'The first shop.',
  businessEmail: 'main@example.com',
  websiteUrl: 'https://example.com',
  twitterUsername: 'anascoffee',
  instagramUsername: 'anas.coffee',
  facebookUrl: 'https://social.example/anascoffee',
  logoUrl: 'https://example.com/logo.png',
  posBackgroundUrl: 'https://example.com/register.png',
  mcc: '5812',
  coordinates: { latitude: 37.7749, longitude: -122.4194 },
  openingHours: [
    { dayOfWeek: 'MON', startLocalTime: '07:00:00', endLocalTime: '18:00:00' },
    { dayOfWeek: 'SAT', startLocalTime: '09:00:00', endLocalTime: '15:30:00' },
  ],
};

export interface FullBusiness extends TestMerchant {
  /** The wire format of its main location in v2; the second location has no optional fields. */
  readonly mainLocation: Record<string, unknown>;
  readonly merchant: Record<string, unknown>;
  /** The wire format of its owner in v2. */
  readonly owner: Record<string, unknown>;
}

export async function createFullBusiness(server: TestServer): Promise<FullBusiness> {
  const made = await server.createMerchant({
    business_name: "Ana's Coffee",
    country: 'US',
    currency: 'USD',
    language_code: 'en-US',
    clock: { now: '2020-02-26T10:00:00Z' },
    locations: [
      { name: 'Main', timezone: 'America/Los_Angeles', address: ADDRESS, phone_number: '+1 415-555-1234' },
      { name: 'Bare', timezone: 'America/New_York' },
    ],
  });
  const [mainId = ''] = made.locationIds;
  const { sql } = server.database;
  await sql`
    update merchants
    set owner_name = 'Ana Ruiz', owner_email = 'ana@example.com', business_type = 'RESTAURANTS'
    where merchant_id = ${made.id}`;
  await sql`
    update locations
    set profile = profile || ${sql.json(PROFILE)}
    where merchant_id = ${made.id} and location_id = ${mainId}`;
  const ownerId = '6f3c0d0e-1111-4222-8333-444455556666';
  await sql`
    insert into employees (
      merchant_id, employee_id, first_name, last_name, email, phone_number, external_id, role_id, location_ids, status,
      is_owner, created_at, updated_at
    )
    values (
      ${made.id}, ${ownerId}, 'Ana', 'Ruiz', 'ana@example.com', '+14155551234', 'HR-1', null, ${made.locationIds as string[]},
      'ACTIVE', true, '2019-05-06T07:08:09.000Z', '2019-06-07T08:09:10Z'
    )`;
  return {
    ...made,
    merchant: {
      id: made.id,
      business_name: "Ana's Coffee",
      country: 'US',
      language_code: 'en-US',
      currency: 'USD',
      status: 'ACTIVE',
    },
    owner: {
      id: ownerId,
      first_name: 'Ana',
      last_name: 'Ruiz',
      email: 'ana@example.com',
      phone_number: '+14155551234',
      location_ids: made.locationIds,
      status: 'ACTIVE',
      is_owner: true,
      created_at: '2019-05-06T07:08:09Z',
      updated_at: '2019-06-07T08:09:10Z',
    },
    mainLocation: {
      id: mainId,
      name: 'Main',
      address: ADDRESS,
      timezone: 'America/Los_Angeles',
      capabilities: ['CREDIT_CARD_PROCESSING'],
      status: 'ACTIVE',
      created_at: '2020-02-26T10:00:00.000Z',
      merchant_id: made.id,
      country: 'US',
      language_code: 'en-US',
      currency: 'USD',
      phone_number: '+1 415-555-1234',
      business_name: "Ana's Coffee",
      type: 'PHYSICAL',
      website_url: PROFILE.websiteUrl,
      business_hours: {
        periods: [
          { day_of_week: 'MON', start_local_time: '07:00:00', end_local_time: '18:00:00' },
          { day_of_week: 'SAT', start_local_time: '09:00:00', end_local_time: '15:30:00' },
        ],
      },
      business_email: PROFILE.businessEmail,
      description: PROFILE.description,
      twitter_username: PROFILE.twitterUsername,
      instagram_username: PROFILE.instagramUsername,
      facebook_url: PROFILE.facebookUrl,
      coordinates: PROFILE.coordinates,
      logo_url: PROFILE.logoUrl,
      pos_background_url: PROFILE.posBackgroundUrl,
      mcc: PROFILE.mcc,
    },
  };
}

/** Plain data: the clients wrap what they read in their own classes. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
