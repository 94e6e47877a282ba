/** A database from before applications had types and subscriptions belonged to what made them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../src/base/secrets.js';
import { migrationOf, openOlderDatabase } from './support/older-database.js';
import { startTestServer, type TestDatabase, type TestServer } from './support/server.js';

const GOOD = 'EAAAgood';
const PERSONAL = 'EAAApersonal';
const [ACTIVE, INACTIVE] = ['0190a0a0-0000-7000-8000-000000000001', '0190a0a0-0000-7000-8000-000000000002'];

let database: TestDatabase;
let server: TestServer;

const hex = (secret: string): string => `'\\x${hashSecret(secret).toString('hex')}'`;
const at = (day: number): string => `'2020-02-0${day}T00:00Z'`;

/** Applications with authorizations that hold and that do not, subscriptions of all kinds, and people at a register. */
const CONTENT = `
  insert into applications (application_id, name, created_at, secret_hash)
  values ('A1', 'App', ${at(1)}, ${hex('secret')}), ('P', 'Personal', ${at(1)}, null);
  insert into authorizations (merchant_id, authorization_id, application_id, permissions, created_at, revoked_at)
  values ('M1', 'ENDED', 'A1', '{PAYMENTS_READ}', ${at(4)}, ${at(5)}), ('M1', 'FEW', 'A1', '{ITEMS_READ}', ${at(3)}, null),
    ('M1', 'GOOD', 'A1', '{PAYMENTS_READ}', ${at(2)}, null);
  insert into access_tokens (
    token_hash, merchant_id, application_id, permissions, label, created_at, expires_at, revoked_at, authorization_id
  )
  values (${hex(GOOD)}, 'M1', 'A1', '{PAYMENTS_READ}', 'oauth', ${at(2)}, '2100-01-01', null, 'GOOD'),
    (${hex(PERSONAL)}, 'M1', 'P', '{PAYMENTS_READ}', 'p', ${at(1)}, null, null, null),
    (${hex('EAAAfew')}, 'M1', 'P', '{TIMECARDS_READ}', 'p', ${at(2)}, null, null, null),
    (${hex('EAAArevoked')}, 'M1', 'P', '{PAYMENTS_READ}', 'p', ${at(3)}, null, ${at(4)}, null),
    (${hex('EAAAexpired')}, 'M1', 'P', '{PAYMENTS_READ}', 'p', ${at(4)}, ${at(5)}, null, null);
  insert into webhook_subscriptions (
    subscription_id, application_id, merchant_id, generation, name, enabled, event_types, notification_url, api_version,
    signature_key, idempotency_key, created_at, updated_at
  )
  select id, application, merchant, 'v2', id, true, '{payment.created}', 'http://127.0.0.1:9/', '2020-02-26', 'k', 'K' || id,
    ${at(1)}, ${at(1)}
  from (values ('OF-APP', 'A1', 'M1'), ('OF-PERSON', 'P', 'M1'), ('OF-ALL', 'A1', null)) as s (id, application, merchant);
  insert into employees (
    merchant_id, employee_id, first_name, last_name, location_ids, status, is_owner, created_at, updated_at
  )
  values ('M1', '${ACTIVE}', 'A', 'B', '{}', 'ACTIVE', false, ${at(1)}, ${at(1)}),
    ('M1', '${INACTIVE}', 'A', 'B', '{}', 'INACTIVE', false, ${at(1)}, ${at(1)});
  insert into register_sessions (token_hash, merchant_id, device_id, employee_id, created_at, expires_at)
  values ('\\x01', 'M1', 'D1', '${ACTIVE}', ${at(1)}, '2100-01-01'), ('\\x02', 'M1', 'D1', '${INACTIVE}', ${at(1)}, '2100-01-01');`;

beforeAll(async () => {
  database = await openOlderDatabase(migrationOf('safe-access'), CONTENT);
  server = await startTestServer({ databaseUrl: database.url });
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

describe('an older database', () => {
  it('has its applications confidential, its discounts free, and no session of who is INACTIVE', async () => {
    const { sql } = server.database;
    expect(await sql`select distinct client_type from applications`).toEqual([{ clientType: 'CONFIDENTIAL' }]);
    expect(await sql`select restricts_discounts from merchants`).toEqual([{ restrictsDiscounts: false }]);
    const alive = await sql`select employee_id from register_sessions where ended_at is null`;
    expect(alive).toEqual([{ employeeId: ACTIVE }]);
  });

  it('gives each subscription to the newest authorization or personal token that may see what it tells', async () => {
    const shown = async (token: string) => {
      const { status, body } = await server.call('GET', '/v2/webhooks/subscriptions', { token });
      return [status, body.subscriptions?.map(({ id }: { id: string }) => id)];
    };
    expect(await shown(GOOD)).toEqual([200, ['OF-APP']]);
    expect(await shown(PERSONAL)).toEqual([200, ['OF-PERSON']]);
    const made = await server.database.sql`
      select subscription_id as id, authorization_id, encode(token_hash, 'hex') as token
      from webhook_subscriptions
      order by id`;
    expect(made).toEqual([
      { id: 'OF-ALL', authorizationId: null, token: null },
      { id: 'OF-APP', authorizationId: 'GOOD', token: null },
      { id: 'OF-PERSON', authorizationId: null, token: hashSecret(PERSONAL).toString('hex') },
    ]);
  });
});
