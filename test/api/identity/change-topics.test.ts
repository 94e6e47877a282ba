/** Every change reaches the queries that show it. */
import { describe, expect, it } from 'vitest';
import { type Topic, topicsOf } from '../../../src/identity/topics.js';
import { operations, operationsOn } from '../../../src/operations.js';
import { isShown } from '../../../web/dashboard/shown-topics.js';

const reads = operationsOn('dashboard').filter(({ method }) => method === 'GET');
const shows = (name: string, ...topics: readonly Topic[]) => isShown(name, new Set(topics));

describe('a query', () => {
  it.each(reads.filter(({ name }) => !name.startsWith('show')).map(({ name }) => name))(
    '%s is loaded again after a gap',
    (name) => expect(shows(name, 'all')).toBe(true),
  );

  it.each([
    ['listDevices', 'devices'],
    ['listCashDrawerShifts', 'drawers'],
    ['listTimecards', 'timecards'],
    ['listAllEmployees', 'employees'],
    ['listSettlements', 'settlements'],
    ['listWebhookDeliveries', 'deliveries'],
    ['retrieveBusiness', 'locations'],
    ['retrieveLocation', 'locations'],
    ['listTokens', 'access'],
    ['aQueryThatNobodyKnows', 'sales'],
  ] as const)('%s shows %s', (name, topic) => expect(shows(name, topic)).toBe(true));

  it('is not loaded again for what it does not show', () => {
    expect([shows('listDevices', 'sales'), shows('showSession', 'all'), shows('listTimecards', 'sales')]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('a write', () => {
  const writes = operations.filter(({ method }) => method !== 'GET');

  it.each([
    ['/v2/payments', 'sales'],
    ['/v2/refunds', 'refunds'],
    ['/api/register/queue', 'sales'],
    ['/api/register/queue', 'timecards'],
    ['/api/register/cash-drawer-shifts', 'drawers'],
    ['/api/checkout/orders/{order_token}/pay', 'sales'],
    ['/v1/me/timecards', 'timecards'],
    ['/api/dashboard/locations/{location_id}', 'locations'],
    ['/api/dashboard/pairings', 'devices'],
    ['/api/sandbox/merchants/{merchant_id}/clock', 'all'],
    ['/api/dashboard/something-new', 'all'],
  ] as const)('at %s changes %s', (path, topic) => expect(topicsOf(path)).toContain(topic));

  it('always changes something, unless it only computes', () => {
    expect(writes.length).toBeGreaterThan(50);
    const computes = '/api/checkout/prices';
    expect(topicsOf(computes)).toEqual([]);
    for (const { path } of writes.filter((each) => each.path !== computes))
      expect([path, topicsOf(path).length > 0]).toEqual([path, true]);
  });
});
