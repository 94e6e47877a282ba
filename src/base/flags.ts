/** Declares the flags of the server and the flags that all commands share. */
import type { CommandFlag } from './command-flag.js';
import { RETENTION_FLAGS } from './retention-flags.js';

const ON_OFF = ['on', 'off'] as const;
const MODES = ['sandbox', 'production'] as const;
export type Mode = (typeof MODES)[number];
export const RETIRED = ['serve', 'gone'] as const;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const DEFAULT_MAX_CONNECTIONS = 4096;

/** The location of the data: flags of every command. */
export const DATA_FLAGS = {
  'database-url': {
    environment: 'DATABASE_URL',
    value: 'URL',
    fallback: '',
    about: 'PostgreSQL server, version 15 or newer; if absent, the embedded PostgreSQL is used',
    isSecret: true,
  },
  'data-dir': {
    environment: 'TILLHOUSE_DATA_DIR',
    value: 'FOLDER',
    fallback: '.tillhouse',
    about: 'folder of the embedded database and the key files',
  },
} as const satisfies Record<string, CommandFlag>;

export const SERVE_FLAGS = {
  port: { environment: 'PORT', value: 'NUMBER', fallback: '4000', about: 'port to listen on; 0: any free port' },
  host: { environment: 'HOST', value: 'ADDRESS', fallback: '127.0.0.1', about: 'address to listen on' },
  ...DATA_FLAGS,
  demo: {
    environment: 'TILLHOUSE_DEMO',
    value: 'on|off',
    fallback: '',
    choices: ON_OFF,
    about: 'create the demo business; on for a new embedded data folder',
  },
  'demo-history': {
    environment: 'TILLHOUSE_DEMO_HISTORY',
    value: 'on|off',
    fallback: 'on',
    choices: ON_OFF,
    about: 'thirteen months of history for a new demo business; off: only its locations and people',
  },
  'demo-beyond-loopback': {
    environment: 'TILLHOUSE_DEMO_BEYOND_LOOPBACK',
    value: 'on|off',
    fallback: 'off',
    choices: ON_OFF,
    about: 'allow a --host other than loopback while the demo is on',
  },
  mode: {
    environment: 'TILLHOUSE_MODE',
    value: 'sandbox|production',
    fallback: 'sandbox',
    choices: MODES,
    about: 'production has no /api/sandbox surface and no movable clocks',
  },
  'change-mode': {
    value: '',
    fallback: '',
    isSwitch: true,
    about: 'open a database of the other mode and change its mode to this one',
  },
  retired: {
    environment: 'TILLHOUSE_RETIRED',
    value: 'serve|gone',
    fallback: 'serve',
    choices: RETIRED,
    about: 'gone: the ten deprecated operations return 410',
  },
  processor: {
    environment: 'TILLHOUSE_PROCESSOR',
    value: 'simulator|stripe|URL',
    fallback: '',
    about:
      'payment processor: stripe, the address of an adapter, or the simulator, which moves no real money. Required in production',
  },
  'public-url': {
    environment: 'TILLHOUSE_PUBLIC_URL',
    value: 'URL',
    fallback: '',
    about: 'URL that clients use, if it differs from the address of the server, for example behind a proxy',
  },
  'rate-limit': {
    environment: 'TILLHOUSE_RATE_LIMIT',
    value: 'NUMBER',
    fallback: '',
    about: 'requests per second and token; more get 429; 0: no limit; 100 in production, 0 in a sandbox',
  },
  'webhook-ports': {
    environment: 'TILLHOUSE_WEBHOOK_PORTS',
    value: 'NUMBERS|any',
    fallback: '',
    about: 'ports that webhooks can be delivered to, such as 443,8443; 443,8443 in production, any in a sandbox',
  },
  'trust-proxy': {
    environment: 'TILLHOUSE_TRUST_PROXY',
    value: 'LIST|NUMBER',
    fallback: '',
    about: 'proxies whose X-Forwarded-For is trusted: their addresses (192.0.2.1,10.0.0.0/8) or their number',
  },
  'max-connections': {
    environment: 'TILLHOUSE_MAX_CONNECTIONS',
    value: 'NUMBER',
    fallback: `${DEFAULT_MAX_CONNECTIONS}`,
    about: 'maximum number of open connections; further ones are closed immediately',
  },
  processes: {
    environment: 'TILLHOUSE_PROCESSES',
    value: 'NUMBER|auto',
    fallback: '1',
    about:
      'processes that serve requests; auto: as many as there are CPU cores, half as many with the embedded PostgreSQL',
  },
  metrics: {
    environment: 'TILLHOUSE_METRICS',
    value: 'HOST:PORT|PORT',
    fallback: '',
    about: 'serve /metrics for Prometheus at this address, without authentication; a port alone is on loopback',
  },
  'stop-delay': {
    environment: 'TILLHOUSE_STOP_DELAY',
    value: 'SECONDS',
    fallback: '0',
    about: 'for how long a server that was told to stop still serves, while /readyz returns 503',
  },
  ...RETENTION_FLAGS,
  'keep-requests': {
    environment: 'TILLHOUSE_KEEP_REQUESTS',
    value: 'NUMBER',
    fallback: '2000',
    about: 'how many of the latest requests a sandbox keeps in memory for its console, 32 MB at most',
  },
  keep: {
    value: '',
    fallback: '',
    isSwitch: true,
    about: 'a sandbox that npm or npx has started goes on when they end',
  },
  strict: {
    value: '',
    fallback: '',
    isSwitch: true,
    about: 'a sandbox refuses fields and parameters that an operation does not have, instead of ignoring them',
  },
  stubs: {
    environment: 'TILLHOUSE_STUBS',
    value: 'FOLDER',
    fallback: '',
    about: 'a folder with stubs, as files of JSON, for a sandbox to answer requests with',
  },
  'log-level': {
    environment: 'TILLHOUSE_LOG_LEVEL',
    value: 'LEVEL',
    fallback: '',
    choices: LOG_LEVELS,
    about: `${LOG_LEVELS.join(', ')}; info in production, warn in a sandbox`,
  },
} as const satisfies Record<string, CommandFlag>;
