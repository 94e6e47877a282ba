/** The example of an operation, with ids of a merchant's own records in the place of samples. */
import { useQuery } from '@tanstack/react-query';
import { findOwnIds, withOwnIds } from '../../../src/api/example-ids.js';
import { sendAsProgram } from '../../client/send-as-program.js';
import { type Composed, exampleOf } from './composed.js';
import type { DescribedOperation } from './described.js';
import { ownToken } from './own-token.js';
import { READ_ONCE } from './read-once.js';

const HEX = 16;

/** Browsers have `randomUUID` only on secure pages. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(HEX))].map((byte) => byte.toString(HEX).padStart(2, '0')).join('');
}

export function useExample(operation: DescribedOperation, merchantId: string) {
  return useQuery({
    queryKey: ['example', operation.name, merchantId],
    queryFn: async (): Promise<Composed> => {
      const { values, body } = exampleOf(operation, newKey);
      const text = JSON.stringify({ values, body });
      const ids = await findOwnIds(text, (path) => read(path, merchantId));
      return { operation, ...JSON.parse(withOwnIds(text, ids)) };
    },
    ...READ_ONCE,
  });
}

async function read(path: string, merchantId: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${await ownToken(merchantId)}` };
  const { status, text } = await sendAsProgram({ method: 'GET', path, headers, body: undefined });
  return status === 200 ? JSON.parse(text) : undefined;
}
