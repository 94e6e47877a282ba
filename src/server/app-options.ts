/** The options of the HTTP application: what its operations may use, and how it treats connections. */
import { Cookies } from '../api/cookies.js';
import type { IgnoredFields } from '../api/ignored-fields.js';
import { fullName } from '../api/operation.js';
import { Operator } from '../api/operator.js';
import { isLoopbackAddress } from '../base/hosts.js';
import { realIds } from '../base/ids.js';
import { hashWithKey } from '../base/secrets.js';
import { operations, pages, productionOperations } from '../operations.js';
import type { AppOptions } from './app.js';
import type { Components, Setup } from './components.js';
import { isOnlyLocal, reachOf } from './listening.js';

export function toAppOptions(setup: Setup, components: Components): AppOptions {
  const { config, opened, options } = setup;
  const { source, metrics, invalidation, inFlight } = components;
  const { credentials, watches, faults, stubs, requestLog, streams, consoleStreams, processorEvents } = components;
  return {
    dependencies: {
      context: toContext(setup, components),
      credentials,
      onWrite: (merchantId) => source.lookAt(merchantId),
      watches,
      retired: config.retired,
      publicUrl: config.publicUrl,
      faults,
      stubs,
      ignoredFields: ignoredFieldsOf(config),
      requestLog,
    },
    operations: operationsOf(setup),
    pages,
    ...{ streams, consoleStreams, processorEvents },
    log: opened.log,
    loopbackOnly: isLoopbackAddress(config.host),
    trustProxy: config.trustProxy,
    maxConnections: config.maxConnections,
    headersTimeoutMs: options.headersTimeoutMs,
    readTimeoutMs: options.readTimeoutMs,
    findOutage: async () => (opened.isStopping() ? 'The server is stopping.' : opened.storage.findOutage()),
    untilInvalidated: options.peers && invalidation.untilInvalidated,
    onAnswered: metrics?.onAnswered,
    inFlight,
    tracing: opened.tracing,
  };
}

/** A sandbox says what it ignores. */
function ignoredFieldsOf({ mode, strict }: Setup['config']): IgnoredFields | undefined {
  if (mode === 'production') return undefined;
  return strict ? 'refuse' : 'note';
}

function operationsOf({ config }: Setup) {
  return config.mode === 'production' ? productionOperations : operations;
}

/** What every operation gets. */
function toContext(setup: Setup, components: Components): AppOptions['dependencies']['context'] {
  const { config, opened, listening } = setup;
  const { mode, publicUrl, adapter, stripe } = config;
  const { demo, operatorKey, hashKey } = opened.secrets;
  const { processor, limits, securityLog, requestLog, stubs, metrics, invalidation, source, watches } = components;
  return {
    database: opened.storage.database,
    processor,
    offersTestCards: mode === 'sandbox' && !adapter && !stripe,
    ids: realIds,
    mode,
    reach: reachOf(config),
    publicUrl,
    givenUrl: publicUrl,
    keyedHash: (text) => hashWithKey(hashKey, text),
    cookies: new Cookies(mode, () => listening.publicPort),
    limits,
    securityLog,
    invalidateCredentials(merchantId) {
      invalidation.invalidate(merchantId);
      if (merchantId !== undefined) source.lookAt(merchantId); // revocations are also events
    },
    invalidateAttendants: invalidation.invalidateAttendants,
    tellPages: (merchantId, topics) => watches.publish(merchantId, topics, 'unknown'),
    demo: demo && {
      isOnlyLocal: isOnlyLocal(config),
      accessToken: demo.secrets.accessToken,
      locationId: demo.business.locations[0]?.id,
      register: demo.register,
    },
    operationNames: new Set(operationsOf(setup).map(fullName)),
    operator: new Operator(operatorKey, { isOnlyLocal: isOnlyLocal(config) }),
    requestLog,
    stubs,
    onWork: metrics?.onWork,
    localUrl: () => listening.localUrl,
  };
}
