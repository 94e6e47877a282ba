/** Parses and validates the values of the server's flags. */

import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import type { Mode } from './flags.js';
import { HIGHEST_PORT, hostName, isLoopbackAddress, isLoopbackName } from './hosts.js';
import { estimateBits } from './key-strength.js';
import { SECOND_MS } from './time.js';
import { UsageError } from './usage-error.js';
import { parseWholeNumber, requireWholeNumber } from './whole-number.js';

/** Production allows no preset credentials and no sign-in over an unencrypted network (decision 0050). */
export function requireSafeProduction({
  demo,
  host,
  publicUrl,
}: {
  readonly demo: string;
  readonly host: string;
  readonly publicUrl: string;
}): void {
  if (demo === 'on') {
    throw new UsageError(
      '--demo on (TILLHOUSE_DEMO) is not allowed with --mode production: the demo is for a sandbox.',
    );
  }
  const isHttps = publicUrl.startsWith('https://');
  if (!isHttps && !isLoopbackAddress(host)) {
    throw new UsageError(
      `--public-url (TILLHOUSE_PUBLIC_URL) must be an https URL with --mode production and --host ${host}: ` +
        'put a TLS proxy in front of the server and set its URL, or use --host 127.0.0.1.',
    );
  }
  if (!isHttps && publicUrl !== '' && !isLoopbackName(hostName(new URL(publicUrl).host))) {
    throw new UsageError(
      `--public-url (TILLHOUSE_PUBLIC_URL) must be https with --mode production, not '${publicUrl}'.`,
    );
  }
}

const MIN_KEY_BITS = 128;

export function requireStrongKey(key: string, variable = 'TILLHOUSE_OPERATOR_KEY'): void {
  if (estimateBits(key) >= MIN_KEY_BITS) return;
  throw new UsageError(
    `${variable} is too easy to guess: it needs ${MIN_KEY_BITS} random bits, such as 32 hexadecimal digits ` +
      'or 22 letters and digits. Create one with: openssl rand -hex 32',
  );
}

/** Where the processor's adapter is, and the secret that it shares with the server. */
export interface AdapterAddress {
  readonly url: string;
  readonly secret: string;
}

/** The keys of an account at Stripe. */
export interface StripeAccess {
  readonly secretKey: string;
  /** Undefined: no events are accepted. */
  readonly webhookSecret: string | undefined;
  /** Undefined: Stripe itself. */
  readonly url: string | undefined;
}

/** What the environment says about Stripe. */
export type StripeVariables = Readonly<Record<'secretKey' | 'webhookSecret' | 'url', string | undefined>>;

const STRIPE_KEY = /^(?:sk|rk)_(live|test)_\w{8,}$/;

/** Undefined: another processor. `mode` is undefined for a command that only reads. */
export function toStripe(
  processor: string,
  { secretKey, webhookSecret, url }: StripeVariables,
  mode?: Mode,
): StripeAccess | undefined {
  if (processor !== 'stripe') return undefined;
  const [, kind] = STRIPE_KEY.exec(secretKey ?? '') ?? [];
  if (secretKey === undefined || kind === undefined) {
    throw new UsageError(
      `STRIPE_SECRET_KEY ${secretKey === undefined ? 'is required' : 'is not a secret key'} with --processor stripe: ` +
        'a key of your account that begins with sk_ or rk_. Find it in the dashboard of Stripe under Developers, API keys.',
    );
  }
  if (kind === 'live' && mode === 'sandbox') {
    throw new UsageError(
      'STRIPE_SECRET_KEY is a live key, but a sandbox must move no real money. Use a test key (sk_test_...), or --mode production.',
    );
  }
  if (webhookSecret !== undefined && !/^whsec_\S{8,}$/.test(webhookSecret)) {
    throw new UsageError('STRIPE_WEBHOOK_SECRET must be the signing secret of an endpoint, which begins with whsec_.');
  }
  if (webhookSecret === undefined && mode === 'production') {
    throw new UsageError(
      'STRIPE_WEBHOOK_SECRET is required with --processor stripe and --mode production: without it the server would not learn of ' +
        'disputes and failed refunds. Add the endpoint PUBLIC_URL/processors/stripe/events in the dashboard of Stripe under Developers, ' +
        'Webhooks, and take its signing secret.',
    );
  }
  return { secretKey, webhookSecret, url: url === undefined ? undefined : toStripeUrl(url) };
}

function toStripeUrl(text: string): string {
  const url = /^https?:/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol === 'http:' && !isLoopbackName(hostName(url.host))) || url.pathname !== '/') {
    throw new UsageError(
      `TILLHOUSE_STRIPE_URL must be an https URL without a path, or http on this machine, not '${text}'.`,
    );
  }
  return url.origin;
}

/** Undefined: the simulator, or Stripe. Calls leave this machine only over TLS. */
export function toAdapter(processor: string, secret: string | undefined): AdapterAddress | undefined {
  if (processor === '' || processor === 'simulator' || processor === 'stripe') return undefined;
  return toAdapterAddress(processor, secret, '--processor (TILLHOUSE_PROCESSOR)');
}

/** `name` and `variable` are for messages: what gives the address, and what gives the secret. */
export function toAdapterAddress(
  text: string,
  secret: string | undefined,
  name: string,
  variable = 'TILLHOUSE_PROCESSOR_SECRET',
): AdapterAddress {
  const choices = variable === 'TILLHOUSE_PROCESSOR_SECRET' ? 'simulator, stripe or an https URL' : 'an https URL';
  const url = toAdapterUrl(text, name, choices);
  if (secret === undefined) {
    throw new UsageError(
      `${variable} is required with an adapter: the same secret signs here and is checked there. ` +
        'Create one with: openssl rand -hex 32',
    );
  }
  requireStrongKey(secret, variable);
  return { url, secret };
}

/** Without a slash at the end. `choices` names the allowed values, for the message. */
export function toAdapterUrl(text: string, name: string, choices: string): string {
  const url = /^https?:/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new UsageError(`${name} must be ${choices}, not '${text}'.`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError(`${name} must be a URL without a password, a query and a fragment.`);
  }
  if (url.protocol === 'http:' && !isLoopbackName(hostName(url.host))) {
    throw new UsageError(`${name} must be https, unless the adapter is on this machine, not '${text}'.`);
  }
  return url.href.replace(/\/+$/, '');
}

const SECRETS_KEY_BYTES = 32;

/** Keys that encrypt the secrets of merchants (decision 0184): the first one encrypts, all of them decrypt. The message quotes none. */
export function toSecretsKeys(text: string, variable: string): readonly string[] {
  const keys = text.split(/[\s,]+/).filter(Boolean);
  for (const [index, key] of keys.entries()) {
    if (/^[A-Za-z0-9+/]+=*$/.test(key) && Buffer.from(key, 'base64').length === SECRETS_KEY_BYTES) continue;
    const which = keys.length === 1 ? 'is not a key' : `has a wrong key at place ${index + 1}`;
    throw new UsageError(
      `${variable} ${which}: a key is ${SECRETS_KEY_BYTES} random bytes in base64, and several are separated by commas. ` +
        'Create one with: openssl rand -base64 32',
    );
  }
  return keys;
}

const PRODUCTION_RATE_LIMIT = 100;
const MAX_RATE_LIMIT = 1_000_000;

/** Off in a sandbox, so that tests do not have to wait (decision 0081). */
export function toRateLimit(text: string, mode: Mode): number | undefined {
  if (text === '') return mode === 'production' ? PRODUCTION_RATE_LIMIT : undefined;
  const limit = requireWholeNumber(text, '--rate-limit (TILLHOUSE_RATE_LIMIT)', { min: 0, max: MAX_RATE_LIMIT });
  return limit === 0 ? undefined : limit;
}

/** The proxies whose `X-Forwarded-For` is trusted: by address, or the number of them in a row. */
export type TrustedProxies = { readonly addresses: readonly string[] } | { readonly hops: number };

const MAX_HOPS = 10;

export function toTrustedProxies(text: string): TrustedProxies | undefined {
  if (text === '') return undefined;
  const hops = parseWholeNumber(text, { min: 0, max: MAX_HOPS });
  if (hops !== undefined) return hops === 0 ? undefined : { hops };
  const addresses = text.split(',').map((each) => each.trim());
  const wrong = addresses.find((each) => !isNetwork(each));
  if (wrong === undefined) return { addresses };
  throw new UsageError(
    `--trust-proxy (TILLHOUSE_TRUST_PROXY) must be addresses such as 192.0.2.1 or 10.0.0.0/8, separated by commas, or a number ` +
      `of proxies from 0 to ${MAX_HOPS}; '${wrong}' is neither.`,
  );
}

/** An address or a network. Length 0 is not allowed: it would trust every client to name its own address. */
function isNetwork(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return length === undefined || (/^[1-9]\d{0,2}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}

const MAX_CONNECTIONS_LIMIT = 1_000_000;

export function toMaxConnections(text: string): number {
  return requireWholeNumber(text, '--max-connections (TILLHOUSE_MAX_CONNECTIONS)', {
    min: 1,
    max: MAX_CONNECTIONS_LIMIT,
  });
}

const MAX_STOP_DELAY = 300;

export function toStopDelayMs(text: string): number {
  const bounds = { min: 0, max: MAX_STOP_DELAY };
  return requireWholeNumber(text, '--stop-delay (TILLHOUSE_STOP_DELAY)', bounds, ' of seconds') * SECOND_MS;
}

const MAX_KEPT_REQUESTS = 100_000;

export function toKeptRequests(text: string): number {
  return requireWholeNumber(text, '--keep-requests (TILLHOUSE_KEEP_REQUESTS)', { min: 1, max: MAX_KEPT_REQUESTS });
}

const MAX_PROCESSES = 64;

/** An embedded PostgreSQL needs about as much CPU time as the server. */
export function toProcesses(text: string, { isEmbedded }: { readonly isEmbedded: boolean }): number {
  if (text === 'auto')
    return Math.min(MAX_PROCESSES, Math.max(1, Math.floor(availableParallelism() / (isEmbedded ? 2 : 1))));
  const count = parseWholeNumber(text, { min: 1, max: MAX_PROCESSES });
  if (count !== undefined) return count;
  throw new UsageError(
    `--processes (TILLHOUSE_PROCESSES) must be a whole number from 1 to ${MAX_PROCESSES}, or auto, not '${text}'.`,
  );
}

/** The address of the listener for metrics. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

export function toMetricsAddress(text: string): MetricsAddress | undefined {
  if (text === '') return undefined;
  const [, name = '', digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  const host = name.replace(/^\[(.*)\]$/, '$1');
  const port = parseWholeNumber(digits, { min: 0, max: HIGHEST_PORT });
  if (port !== undefined && !/[\s/@]/.test(host)) return { host: host || '127.0.0.1', port };
  throw new UsageError(
    `--metrics (TILLHOUSE_METRICS) must be HOST:PORT or PORT, such as 127.0.0.1:9464, not '${text}'.`,
  );
}

/** The common HTTPS ports. */
const PRODUCTION_WEBHOOK_PORTS = [443, 8443];

/** In a sandbox any port is allowed, because developers run receivers on any port (decision 0077). */
export function toWebhookPorts(text: string, mode: Mode): readonly number[] | undefined {
  if (text === '') return mode === 'production' ? PRODUCTION_WEBHOOK_PORTS : undefined;
  if (text === 'any') return undefined;
  const ports = text.split(',').map((each) => parseWholeNumber(each.trim(), { min: 1, max: HIGHEST_PORT }));
  const valid = ports.filter((port) => port !== undefined);
  if (valid.length < ports.length) {
    throw new UsageError(
      `--webhook-ports (TILLHOUSE_WEBHOOK_PORTS) must be numbers from 1 to 65535, separated by commas, or any, not '${text}'.`,
    );
  }
  return [...new Set(valid)];
}
