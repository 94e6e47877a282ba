/** The flags of a server, and those that every command takes: what can be set, from where, and what it is for. */

export interface Flag {
  readonly short?: string;
  readonly environment?: string;
  readonly value: string;
  readonly fallback: string;
  readonly about: string;
  readonly choices?: readonly string[];
  /** Given without a value, which is then 'on'. */
  readonly isSwitch?: true;
}

const ON_OFF = ['on', 'off'] as const;
const MODES = ['sandbox', 'production'] as const;
export type Mode = (typeof MODES)[number];
export const RETIRED = ['serve', 'gone'] as const;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const PROCESSORS = ['simulator'] as const;

export const DEFAULT_MAX_CONNECTIONS = 4096;

/** Where the data is: the flags that every command takes. */
export const DATA_FLAGS = {
  'database-url': {
    environment: 'DATABASE_URL',
    value: 'URL',
    fallback: '',
    about: 'a PostgreSQL server, 15 or newer; absent: the embedded one',
  },
  'data-dir': {
    environment: 'TILLHOUSE_DATA_DIR',
    value: 'FOLDER',
    fallback: '.tillhouse',
    about: 'where the embedded database and the key files are kept',
  },
} as const satisfies Record<string, Flag>;

export const SERVE_FLAGS = {
  port: { environment: 'PORT', value: 'NUMBER', fallback: '4000', about: 'the port to listen on; 0: any free one' },
  host: { environment: 'HOST', value: 'ADDRESS', fallback: '127.0.0.1', about: 'the address to listen on' },
  ...DATA_FLAGS,
  demo: {
    environment: 'TILLHOUSE_DEMO',
    value: 'on|off',
    fallback: '',
    choices: ON_OFF,
    about: 'the demo business; on for a new embedded data folder',
  },
  'demo-history': {
    environment: 'TILLHOUSE_DEMO_HISTORY',
    value: 'on|off',
    fallback: 'on',
    choices: ON_OFF,
    about: 'thirteen months of sales and the like for a new demo business; off: only its places and people',
  },
  'demo-beyond-loopback': {
    environment: 'TILLHOUSE_DEMO_BEYOND_LOOPBACK',
    value: 'on|off',
    fallback: 'off',
    choices: ON_OFF,
    about: 'allow --host beyond loopback while the demo is on',
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
    about: 'open a database that was recorded in the other mode, and record this one',
  },
  retired: {
    environment: 'TILLHOUSE_RETIRED',
    value: 'serve|gone',
    fallback: 'serve',
    choices: RETIRED,
    about: 'gone: the ten deprecated operations answer 410',
  },
  processor: {
    environment: 'TILLHOUSE_PROCESSOR',
    value: 'simulator',
    fallback: '',
    choices: PROCESSORS,
    about: 'who moves the money; the simulator moves none. Needed in production',
  },
  'public-url': {
    environment: 'TILLHOUSE_PUBLIC_URL',
    value: 'URL',
    fallback: '',
    about: 'the address clients use, when it is not the one they call',
  },
  'rate-limit': {
    environment: 'TILLHOUSE_RATE_LIMIT',
    value: 'NUMBER',
    fallback: '',
    about: 'requests a second for each token, beyond which it gets 429; 0: any; 100 in production, 0 in a sandbox',
  },
  'webhook-ports': {
    environment: 'TILLHOUSE_WEBHOOK_PORTS',
    value: 'NUMBERS|any',
    fallback: '',
    about: 'the ports that webhooks may be sent to, such as 443,8443; 443,8443 in production, any in a sandbox',
  },
  'trust-proxy': {
    environment: 'TILLHOUSE_TRUST_PROXY',
    value: 'LIST|NUMBER',
    fallback: '',
    about: 'proxies in front, by address (192.0.2.1,10.0.0.0/8) or number: X-Forwarded-For is believed from them alone',
  },
  'max-connections': {
    environment: 'TILLHOUSE_MAX_CONNECTIONS',
    value: 'NUMBER',
    fallback: `${DEFAULT_MAX_CONNECTIONS}`,
    about: 'how many connections may be open at a time; further ones are closed immediately',
  },
  'log-level': {
    environment: 'TILLHOUSE_LOG_LEVEL',
    value: 'LEVEL',
    fallback: '',
    choices: LOG_LEVELS,
    about: `${LOG_LEVELS.join(', ')}; info in production, warn in a sandbox`,
  },
} as const satisfies Record<string, Flag>;
