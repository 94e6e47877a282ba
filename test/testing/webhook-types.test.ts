/** The lists of kinds of events that cannot be derived from the model. */
import { expect, it } from 'vitest';
import { EVENT_KINDS } from '../../src/events/model.js';
import { WEBHOOK_TYPES } from '../../src/testing/webhook-types.js';

it('the test kit can receive every kind of event that happens', () => {
  const happening = EVENT_KINDS.filter((kind) => kind !== 'INVENTORY_UPDATED');
  expect([...WEBHOOK_TYPES].sort()).toEqual([...happening].sort());
});
