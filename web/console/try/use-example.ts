/** The example of an operation, with ids of a merchant's own records in the place of samples. */
import { useQuery } from '@tanstack/react-query';
import { findOwnIds, replaceSamples, withOwnIds } from '../../../src/api/example-ids.js';
import { call } from '../../client/call.js';
import { sandbox } from '../../client/sandbox-operations.js';
import { sendAsProgram } from '../../client/send-as-program.js';
import { type Composed, exampleOf } from './composed.js';
import type { DescribedApi, DescribedOperation } from './described.js';
import { findOperatorIds } from './operator-ids.js';
import { ownRegister } from './own-credentials.js';
import { ownToken } from './own-token.js';
import { READ_ONCE } from './read-once.js';
import { fromRecorded, missingOfRecorded } from './recorded.js';
import { completeRegisterExample } from './register-example.js';
import { findStoreSamples } from './store-example.js';

const HEX = 16;

/** Browsers have `randomUUID` only on secure pages. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(HEX))].map((byte) => byte.toString(HEX).padStart(2, '0')).join('');
}

export interface TriedPlace {
  readonly merchantId: string;
  /** The location of this page's register. Absent: the first location. */
  readonly locationId: string | undefined;
}

/** What the form begins with. */
export interface Beginning {
  readonly composed: Composed;
  /** What a developer should know about it. */
  readonly hint?: string | undefined;
}

/** With the id of a recorded request: what that request sent. */
export function useBeginning(
  operation: DescribedOperation,
  models: DescribedApi['models'],
  place: TriedPlace,
  requestId: string | undefined,
) {
  return useQuery({
    queryKey: ['example', operation.name, place.merchantId, place.locationId, requestId],
    queryFn: async (): Promise<Beginning> => {
      if (requestId === undefined) return { composed: await findExample(operation, models, place) };
      const { request } = await call(sandbox.retrieveRequest, { request_id: requestId });
      return { composed: fromRecorded(operation, request), hint: missingOfRecorded(request) };
    },
    ...READ_ONCE,
  });
}

async function findExample(
  operation: DescribedOperation,
  models: DescribedApi['models'],
  { merchantId, locationId }: TriedPlace,
): Promise<Composed> {
  const example = exampleOf(operation, models, newKey);
  if (operation.surface === 'register') {
    return completeRegisterExample(example, merchantId, () => ownRegister(merchantId, locationId), newKey);
  }
  const { values, body } = example;
  const text = JSON.stringify({ values, body });
  const [found, listed, ofStore] = await Promise.all([
    findOwnIds(text, (path) => read(path, merchantId)),
    // Not for OAuth: it needs an application whose secret is known, which this page creates.
    operation.surface === 'sandbox' ? findOperatorIds(text, merchantId) : {},
    findStoreSamples(text, merchantId, newKey),
  ]);
  return { operation, ...JSON.parse(withOwnIds(replaceSamples(text, ofStore), { ...found, ...listed })) };
}

async function read(path: string, merchantId: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${await ownToken(merchantId)}` };
  const { status, text } = await sendAsProgram({ method: 'GET', path, headers, body: undefined });
  return status === 200 ? JSON.parse(text) : undefined;
}
