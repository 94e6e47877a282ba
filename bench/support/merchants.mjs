/** Creates merchants through the operator's surface. */
import { ask, httpRequest } from './load.mjs';

/** `body` is that of the request, for example an owner. */
export async function newMerchant({ port, operatorKey }, body = {}) {
  const answer = JSON.parse(await ask(port, httpRequest('POST', '/api/sandbox/merchants', operatorKey, body)));
  return { id: answer.merchant.id, token: answer.access_token, locationId: answer.merchant.locations[0].id };
}
