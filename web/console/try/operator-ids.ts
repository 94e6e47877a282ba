/** Ids of records that only the operator lists, for the samples in an example. */
import type { OwnIds } from '../../../src/api/example-ids.js';
import { SAMPLE_IDS } from '../../../src/api/sample-ids.js';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';

type Find = (merchant_id: string) => Promise<string | undefined>;

const LISTS: Readonly<Partial<Record<keyof OwnIds, Find>>> = {
  client_id: async () => (await call(sandbox.listApplications, { limit: 1 })).applications[0]?.id,
  delivery_id: async (merchant_id) =>
    (await call(sandbox.listWebhookDeliveries, { merchant_id, limit: 1 })).deliveries[0]?.id,
  event_id: async (merchant_id) =>
    (await call(sandbox.listWebhookDeliveries, { merchant_id, limit: 1 })).deliveries[0]?.event_id,
  token_id: async (merchant_id) => (await call(sandbox.listTokens, { merchant_id })).tokens.at(-1)?.id,
  fault_id: async () => (await call(sandbox.listFaults, {})).faults[0]?.id,
  stub_id: async () => (await call(sandbox.listStubs, {})).stubs[0]?.id,
  rule_id: async (merchant_id) => (await call(sandbox.listProcessorRules, { merchant_id })).rules[0]?.id,
  request_id: async (merchant_id) => (await call(sandbox.listRequests, { merchant_id, limit: 1 })).requests[0]?.id,
};

/** The sample stays if the merchant has no such record. */
export async function findOperatorIds(text: string, merchantId: string): Promise<OwnIds> {
  const found = await Promise.all(
    Object.entries(LISTS)
      .filter(([name]) => text.includes(SAMPLE_IDS[name as keyof OwnIds]))
      .map(async ([name, find]) => [name, await find(merchantId)] as const),
  );
  return Object.fromEntries(found.filter(([, id]) => id !== undefined));
}
