/** Shows the reference. In a sandbox with the demo business, its examples get the demo's token and ids, so that they run. */

/** The build replaces it by the ids in the examples. */
const SAMPLES = __SAMPLES__;

/** The token, if this browser may have it without a secret. */
async function getDemoToken() {
  const response = await fetch('/docs/demo-token', { method: 'POST' });
  return response.ok ? (await response.json()).access_token : undefined;
}

/** Where a record of each kind is found. A list without records leaves the sample. */
const PLACES = {
  merchant_id: ['/v2/merchants/me', (body) => body.merchant],
  role_id: ['/v1/me/roles?limit=1', ([role]) => role],
  employee_id: ['/v2/employees?limit=1', ({ employees }) => employees[0]],
  timecard_id: ['/v1/me/timecards?limit=1', ([timecard]) => timecard],
  payment_id: ['/v2/payments?limit=1', ({ payments }) => payments[0]],
  refund_id: ['/v2/refunds?limit=1', ({ refunds }) => refunds[0]],
  bank_account_id: ['/v2/bank-accounts?limit=1', ({ bank_accounts }) => bank_accounts[0]],
  shift_id: ['/v2/cash-drawers/shifts?limit=1&location_id=LOCATION', ({ items }) => items[0]],
  order_id: ['/v1/LOCATION/orders?limit=1', ([order]) => order],
  settlement_id: ['/v1/LOCATION/settlements?limit=1', ([settlement]) => settlement],
};

async function findDemoIds(token) {
  const get = async (path) => {
    const response = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
    return response.ok ? response.json() : undefined;
  };
  const location = (await get('/v2/locations'))?.locations?.[0]?.id;
  if (location === undefined) return {};
  const found = await Promise.all(
    Object.entries(PLACES).map(async ([name, [path, pick]]) => {
      const body = await get(path.replace('LOCATION', location));
      return [name, body && pick(body)?.id];
    }),
  );
  return Object.fromEntries([['location_id', location], ...found.filter(([, id]) => id !== undefined)]);
}

/** The document with real ids in the place of samples. The id of a refund contains that of a payment, so it comes first. */
function withIds(text, ids) {
  const longestFirst = Object.entries(ids).sort(([one], [other]) => SAMPLES[other].length - SAMPLES[one].length);
  return longestFirst.reduce((filled, [name, id]) => filled.replaceAll(SAMPLES[name], id), text);
}

/** The renderer lists operations by their summaries. Short names read better there; the sentence comes first in the description. */
function withNames(description) {
  for (const operation of Object.values(description.paths).flatMap(Object.values)) {
    operation.description = `${operation.summary} ${operation.description}`;
    operation.summary = operation.operationId.split('.')[1];
  }
  return description;
}

async function start() {
  const [text, token] = await Promise.all([fetch('/openapi.json').then((response) => response.text()), getDemoToken()]);
  const ids = token === undefined ? {} : await findDemoIds(token);
  if (token !== undefined) document.getElementById('demo-note').hidden = false;
  Scalar.createApiReference('#reference', {
    content: withNames(JSON.parse(withIds(text, ids))),
    servers: [{ url: location.origin }],
    authentication: {
      preferredSecurityScheme: 'accessToken',
      ...(token !== undefined && { securitySchemes: { accessToken: { token } } }),
    },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    // Nothing of another server: no fonts, no proxy, no hosted client, no assistant, no telemetry.
    withDefaultFonts: false,
    hideClientButton: true,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    documentDownloadType: 'direct',
    defaultOpenFirstTag: true,
  });
}

start();
