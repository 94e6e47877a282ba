/** Shows the reference. In a sandbox with the demo business, its examples get the demo's token and ids, so that they run. */
import { findOwnIds, withOwnIds } from './example-ids.js';

/** Says that this page sends a request, and no program: see src/base/senders.ts. */
const SENDER_HEADER = 'tillhouse-sent-by';

/** The token, if this browser may have it without a secret. */
async function getDemoToken() {
  const response = await fetch('/docs/demo-token', { method: 'POST' });
  return response.ok ? (await response.json()).access_token : undefined;
}

/** The document with ids of the demo business in the place of samples. */
async function fillIn(text, token) {
  const read = async (path) => {
    const response = await fetch(path, {
      headers: { authorization: `Bearer ${token}`, [SENDER_HEADER]: 'docs' },
    });
    return response.ok ? response.json() : undefined;
  };
  return withOwnIds(text, await findOwnIds(text, read));
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
  const filled = token === undefined ? text : await fillIn(text, token);
  if (token !== undefined) document.getElementById('demo-note').hidden = false;
  Scalar.createApiReference('#reference', {
    content: withNames(JSON.parse(filled)),
    servers: [{ url: location.origin }],
    authentication: {
      preferredSecurityScheme: 'accessToken',
      ...(token !== undefined && { securitySchemes: { accessToken: { token } } }),
    },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    onBeforeRequest: ({ requestBuilder }) => requestBuilder.headers.set(SENDER_HEADER, 'docs'),
    // Nothing is loaded from other servers: no fonts, no proxy, no hosted client, no assistant, no telemetry.
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
