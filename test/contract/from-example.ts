/** A good request out of the example that an operation declares, with records and secrets of a business in the place of the samples. */
import { randomUUID } from 'node:crypto';
import { replaceSamples } from '../../src/api/example-ids.js';
import type { Operation } from '../../src/api/operation.js';
import { SAMPLE_IDS, SAMPLE_PASSCODE, SAMPLE_SECRETS, SAMPLE_VALUES } from '../../src/api/sample-ids.js';
import { OPERATOR_KEY } from '../support/server.js';
import type { Business, Json } from './business.js';

/** A second request with the same key would be a repetition of the first. */
const KEYS = ['idempotency_key', 'request_idempotence_key'];

/** The body of the example. Undefined: the operation declares none. */
export function exampleBody({ example, surface }: Operation, business: Business): Json | undefined {
  if (example?.body === undefined) return undefined;
  const text = replaceSamples(JSON.stringify(example.body), valuesOf(business));
  return JSON.parse(text, function (this: Json, key, value) {
    const isKey = KEYS.includes(key) || (key === 'id' && (surface === 'register' || surface === 'checkout'));
    return isKey ? randomUUID() : value;
  });
}

/** The required parameters of the example's query: all others would limit what a list shows. */
export function exampleQuery(
  { example }: Operation,
  business: Business,
  required: readonly string[],
): Record<string, string> {
  const given = Object.entries(example?.query ?? {}).filter(([name]) => required.includes(name));
  const values = valuesOf(business);
  return Object.fromEntries(given.map(([name, value]) => [name, replaceSamples(String(value), values)]));
}

/** The real values by their samples. */
function valuesOf({ ids, application, attendant, device, owner }: Business): Record<string, string> {
  const records = Object.entries(SAMPLE_IDS).flatMap(([name, sample]) => {
    const id = ids[name];
    return id === undefined ? [] : [[sample, id] as const];
  });
  return {
    ...Object.fromEntries(records),
    [SAMPLE_SECRETS.client_secret]: application.secret,
    [SAMPLE_SECRETS.access_token]: application.accessToken,
    [SAMPLE_SECRETS.refresh_token]: application.refreshToken,
    [SAMPLE_SECRETS.device_token]: device.token,
    [SAMPLE_SECRETS.operator_key]: OPERATOR_KEY,
    [SAMPLE_SECRETS.owner_password]: owner.password,
    [SAMPLE_VALUES.owner_email]: owner.email,
    [SAMPLE_PASSCODE]: attendant.passcode,
  };
}
