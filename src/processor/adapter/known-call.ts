/** Asks an adapter whether it has made a call, to tell an adapter that has moved from another one (decision 0197). */
import { realIds } from '../../base/ids.js';
import { SECOND_MS } from '../../base/time.js';
import { type Adapter, reasonOf, send } from './transport.js';
import { type Answers, invalidAnswerReason } from './wire.js';

const TIME_LIMIT_MS = 10 * SECOND_MS;

const lookUp = (adapter: Adapter, key: string, signature?: string) =>
  send(
    adapter,
    { method: 'GET', path: `/calls/${encodeURIComponent(key)}`, signature },
    AbortSignal.timeout(TIME_LIMIT_MS),
  );

/** Undefined if it has approved the authorization with this key, otherwise why that is unknown: a sign-in page responds 200, too. */
export async function unapprovedReason(adapter: Adapter, key: string): Promise<string | undefined> {
  try {
    const { status, json } = await lookUp(adapter, key);
    if (status !== 200) return status === 404 ? 'it does not know the call' : `it responded ${status}`;
    const why = invalidAnswerReason('authorize', json);
    if (why !== undefined) return `a malformed answer: ${why}`;
    const { outcome } = json as Answers['authorize'];
    return outcome === 'approved' ? undefined : `it says ${outcome}, not approved`;
  } catch (error) {
    return reasonOf(error);
  }
}

/**
 * Undefined if it is an adapter with this secret, otherwise why not. It must respond 404 to a call that nobody has made, as any web server
 * does, and must refuse the same request without a valid signature, as only an adapter does.
 */
export async function missingAdapterReason(adapter: Adapter): Promise<string | undefined> {
  const unusedKey = realIds.newId(28);
  try {
    const { status } = await lookUp(adapter, unusedKey);
    if (status !== 404) return `it responded ${status} to a call that nobody has made, not 404`;
    const unsigned = await lookUp(adapter, unusedKey, '');
    return unsigned.status === 401 ? undefined : `it responded ${unsigned.status} to a wrong signature, not 401`;
  } catch (error) {
    return reasonOf(error);
  }
}
