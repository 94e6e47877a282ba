import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations.js';
import { PARAMETERS, READ_ONLY, RETURNED, reasonFor, SENT } from './left-out.js';
import { PUBLISHED_CLIENTS } from './published-clients.js';
import { compareFields, type MissingField } from './published-fields.js';
import { nameOf } from './requests.js';

const published = operations.filter(({ surface }) => ['v1', 'v2', 'oauth2'].includes(surface));
const compared = published.map((each) => [nameOf(each), compareFields(each)] as const);
const missing = compared.flatMap(([, fields]) => fields.missing);

const LISTS = { 'returned field': RETURNED, 'sent field': SENT, parameter: PARAMETERS } as const;

describe('the fields and parameters of the published clients', () => {
  it('are found in both', () => {
    expect(PUBLISHED_CLIENTS.map(({ calls }) => calls.length > 150)).toEqual([true, true]);
    const [, square] = PUBLISHED_CLIENTS;
    const call = square?.calls.find(({ method, route }) => method === 'GET' && route === '/v2/payments');
    expect(call?.query).toContain('updated_at_begin_time');
    expect([...(square?.propertiesOf('CreatePaymentRequest').keys() ?? [])]).toContain('delay_duration');
    expect(square?.propertiesOf('Payment').get('processing_fee')).toEqual({ name: 'ProcessingFee', isList: true });
  });

  it('are compared for every published operation that a client has', () => {
    const without = compared.filter(([, { count }]) => count === 0).map(([name]) => name);
    // Webhooks of v1 were never in a client, and a deleted timecard has neither body nor response.
    expect(without).toEqual(['v1.deleteTimecard', 'v1.listWebhooks', 'v1.updateWebhooks']);
    expect(compared.reduce((sum, [, { count }]) => sum + count, 0)).toBeGreaterThan(4000);
  });

  it.each(compared)('of %s are there, except those that are left out for a reason', (_, fields) => {
    const unexplained = fields.missing.filter(({ part, place }) => reasonFor(LISTS[part], place) === undefined);
    expect(unexplained).toEqual([]);
  });

  it('are read-only where an operation says that it takes a whole record, and nowhere else', () => {
    const readOnly = missing.filter(({ part, place }) => part === 'sent field' && reasonFor(SENT, place) === READ_ONLY);
    const taking = published.filter(({ takesRecord }) => takesRecord).map(nameOf);
    expect([...new Set(readOnly.map(({ operation }) => operation))].sort()).toEqual(taking.sort());
  });

  it.each(Object.keys(LISTS) as MissingField['part'][])('has no reason for a %s that is there', (part) => {
    const places = missing.filter((each) => each.part === part).map(({ place }) => place);
    const listed = LISTS[part].flatMap(([, each]) => each).filter((each) => !each.startsWith('*'));
    expect(listed.filter((each) => !places.includes(each))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });
});
