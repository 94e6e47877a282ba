/** Asks an adapter whether it has made a call, to tell an adapter that has moved from another one (decision 0197). */
import { SECOND_MS } from '../../base/time.js';
import { type Adapter, reasonOf, send } from './transport.js';

const TIME_LIMIT_MS = 10 * SECOND_MS;

/** Undefined: it knows the call. Otherwise why that is not sure. */
export async function whyUnknown(adapter: Adapter, key: string): Promise<string | undefined> {
  const request = { method: 'GET', path: `/calls/${encodeURIComponent(key)}` } as const;
  try {
    const { status } = await send(adapter, request, AbortSignal.timeout(TIME_LIMIT_MS));
    if (status === 200) return undefined;
    return status === 404 ? 'it does not know the call' : `it responded ${status}`;
  } catch (error) {
    return reasonOf(error);
  }
}
