/** Reads the command line and the environment. No other file reads them; `flags.ts` declares the flags. */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { CommandFlag } from './command-flag.js';
import { DATA_FLAGS, type LOG_LEVELS, type Mode, type RETIRED, SERVE_FLAGS } from './flags.js';
import { HIGHEST_PORT } from './hosts.js';
import { didYouMean } from './nearest.js';
import { DEFAULT_KEPT_FOR, type KeptFor, toKeptFor } from './retention-flags.js';
import {
  type AdapterAddress,
  type MetricsAddress,
  requireSafeProduction,
  requireStrongKey,
  type StripeAccess,
  type StripeVariables,
  type TrustedProxies,
  toAdapter,
  toAdapterAddress,
  toAdapterUrl,
  toKeptRequests,
  toMaxConnections,
  toMetricsAddress,
  toProcesses,
  toRateLimit,
  toSecretsKeys,
  toStopDelayMs,
  toStripe,
  toTrustedProxies,
  toWebhookPorts,
} from './serve-values.js';
import { UsageError } from './usage-error.js';
import { parseWholeNumber } from './whole-number.js';

export {
  type AdapterAddress,
  type CommandFlag,
  DATA_FLAGS,
  DEFAULT_KEPT_FOR,
  type KeptFor,
  type MetricsAddress,
  type Mode,
  SERVE_FLAGS,
  type StripeAccess,
  type TrustedProxies,
  toAdapter,
  toAdapterAddress,
  toAdapterUrl,
  toStripe,
  UsageError,
};

export interface DataConfig {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
}

/** Where webhooks may be delivered (decision 0077). */
export interface Reach {
  readonly mode: Mode;
  /** The allowed ports of receivers; undefined: any. */
  readonly webhookPorts?: readonly number[] | undefined;
}

export interface ServeConfig extends DataConfig, Reach {
  readonly port: number;
  readonly host: string;
  /** Undefined: not set, so it depends on the data folder. */
  readonly demo: boolean | undefined;
  readonly demoHistory: boolean;
  readonly demoBeyondLoopback: boolean;
  /** Whether to change the mode of a database that has the other mode. */
  readonly changeMode?: boolean;
  readonly retired: (typeof RETIRED)[number];
  readonly publicUrl: string | undefined;
  /** Its secret is from TILLHOUSE_PROCESSOR_SECRET only. Without it and `stripe`, the processor is the simulator. */
  readonly adapter?: AdapterAddress | undefined;
  /** Its keys are from the environment only. */
  readonly stripe?: StripeAccess | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Requests per second for each token; undefined: no limit. */
  readonly rateLimit?: number | undefined;
  readonly trustProxy?: TrustedProxies | undefined;
  readonly maxConnections?: number;
  /** For how long a server that was told to stop still serves. */
  readonly stopDelayMs?: number;
  /** Absent: the defaults of the flags. */
  readonly keptFor?: KeptFor;
  /** How many requests the log of a sandbox keeps. */
  readonly keptRequests?: number;
  /** Whether a sandbox refuses fields and parameters that it would ignore. */
  readonly strict?: boolean | undefined;
  /** The folder with stubs. */
  readonly stubs?: string | undefined;
  /** Processes that serve requests. */
  readonly processes?: number;
  /** Undefined: metrics are neither collected nor served. */
  readonly metrics?: MetricsAddress | undefined;
  /** Whether the standard variables of OpenTelemetry ask for traces. Its SDK reads them itself. */
  readonly traces?: boolean;
  /** From TILLHOUSE_OPERATOR_KEY only: other processes can read a command line. */
  readonly operatorKey: string | undefined;
  /** From TILLHOUSE_ACCOUNT_KEY only: one key, or several (decision 0209). Servers that share a database must share it. */
  readonly accountKey: string | undefined;
  /** From TILLHOUSE_SECRETS_KEY only, in base64. The first one encrypts, all of them decrypt. */
  readonly secretsKeys?: readonly string[];
}

/** The values of flags by their names. */
export type Values<Flags> = Record<keyof Flags, string>;

export type DataValues = Values<typeof DATA_FLAGS>;
export type DataDirValues = Pick<DataValues, 'data-dir'>;

/** The parsed command line of a command: flags, positional arguments, and whether it has `--help`. */
export interface ParsedArguments<Flags> {
  readonly values: Values<Flags>;
  readonly words: readonly string[];
  readonly help: boolean;
}

/** Between the values of a flag that was given several times: an argument cannot contain it. */
export const REPEATED_SEPARATOR = '\0';

export function parseArguments<const Flags extends Record<string, CommandFlag>>(
  args: readonly string[],
  flags: Flags,
): ParsedArguments<Flags> {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { short, isSwitch, isRepeated }]) => [
      name,
      {
        type: isSwitch ? ('boolean' as const) : ('string' as const),
        ...(short && { short }),
        ...(isRepeated && { multiple: true }),
      },
    ]),
  );
  const parsed = parseOrExplain(args, { ...options, help: { type: 'boolean', short: 'h' } });
  const values = Object.entries(flags).map(([name, flag]) => {
    const all = parsed.values[name];
    const given = all === true ? 'on' : Array.isArray(all) ? all.join(REPEATED_SEPARATOR) : all;
    // Not with --help, which must work without the right to read the files of secrets.
    const inherited = parsed.values['help'] === true ? undefined : fromEnvironment(flag);
    const value = typeof given === 'string' ? given : inherited || flag.fallback;
    if (given === '' && flag.fallback !== '') throw new UsageError(`--${name} must not be empty.`);
    const source = typeof given === 'string' ? `--${name}` : (flag.environment ?? `--${name}`);
    if (flag.choices && value !== '' && !flag.choices.includes(value)) {
      throw new UsageError(`${source} must be one of ${flag.choices.join(', ')}, not '${value}'.`);
    }
    return [name, value];
  });
  return {
    values: Object.fromEntries(values) as Values<Flags>,
    words: parsed.positionals,
    help: parsed.values['help'] === true,
  };
}

function fromEnvironment({ environment, isSecret }: CommandFlag): string | undefined {
  if (environment === undefined) return undefined;
  return isSecret ? secretFromEnvironment(environment) : process.env[environment];
}

function parseOrExplain(args: readonly string[], options: NonNullable<Parameters<typeof parseArgs>[0]>['options']) {
  try {
    return parseArgs({ args: [...args], options: options ?? {}, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(explainFlags(error, Object.keys(options ?? {})));
  }
}

/** Node's own messages explain positional arguments; a list of the flags helps more. */
function explainFlags(error: unknown, names: readonly string[]): string {
  const { code, message } = error as { code?: string; message: string };
  const [, flag = ''] = /'(--?[^ '=]+)/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const known = names.map((name) => `--${name}`);
    return `Unknown flag ${flag}.${didYouMean(flag, known)} Known flags: ${known.join(', ')}.`;
  }
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
    if (message.includes('does not take')) return `${flag} takes no value.`;
    return `${flag} requires a value. Write a value that begins with a dash as ${flag}=-VALUE.`;
  }
  return message;
}

export function describeFlags(flags: Record<string, CommandFlag>): string {
  const rows = Object.entries(flags).map(([name, flag]) => {
    const facts = [flag.environment, flag.fallback && `default ${flag.fallback}`].filter(Boolean).join(', ');
    return [
      `  --${name}${flag.short ? `, -${flag.short}` : ''} ${flag.value}`.trimEnd(),
      `${flag.about}${facts && ` (${facts})`}`,
    ] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => left.padEnd(width) + right).join('\n');
}

/** For commands that call a running server and need no database. */
export function toDataDir(values: DataDirValues): string {
  return resolve(values['data-dir']);
}

export function toDataConfig(values: DataValues): DataConfig {
  const url = values['database-url'];
  if (url !== '' && !/^postgres(?:ql)?:\/\//.test(url)) {
    throw new UsageError(`--database-url (DATABASE_URL) must begin with postgres:// or postgresql://.`);
  }
  if (url !== '' && !isAddress(url)) {
    // The message does not quote the URL, which can contain a password. The usual mistake is a special character in it.
    throw new UsageError('--database-url (DATABASE_URL) is not a valid URL. Encode special characters: @ becomes %40.');
  }
  return { databaseUrl: url || undefined, dataDir: toDataDir(values) };
}

function isAddress(url: string): boolean {
  try {
    const { username, password } = new URL(url.replaceAll(/,[^/?@]*(?=[/?]|$)/g, '')); // the URL may list several hosts
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/** The user's cache folder on this operating system. */
export function cacheFolder(): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME;
  if (process.platform === 'win32' && LOCALAPPDATA) return LOCALAPPDATA;
  return resolve(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache');
}

export function accountKeyFromEnvironment(): string | undefined {
  return secretFromEnvironment('TILLHOUSE_ACCOUNT_KEY');
}

export function operatorKeyFromEnvironment(): string | undefined {
  return secretFromEnvironment('TILLHOUSE_OPERATOR_KEY');
}

/** Signs the calls to an adapter (decision 0185). */
export function processorSecretFromEnvironment(): string | undefined {
  return secretFromEnvironment('TILLHOUSE_PROCESSOR_SECRET');
}

/** The keys that encrypt the secrets of merchants, in base64 (decision 0184). */
export function secretsKeysFromEnvironment(): readonly string[] {
  return toSecretsKeys(secretFromEnvironment('TILLHOUSE_SECRETS_KEY') ?? '', 'TILLHOUSE_SECRETS_KEY');
}

/** From its variable, or from the file that the variable with `_FILE` names, as containers and systemd pass secrets. */
function secretFromEnvironment(name: string): string | undefined {
  const { [name]: text, [`${name}_FILE`]: path } = process.env;
  if (text && path) throw new UsageError(`Set ${name} or ${name}_FILE, not both.`);
  if (!path) return text || undefined;
  const secret = readSecretFile(path, `${name}_FILE`).trim();
  if (secret === '') throw new UsageError(`${name}_FILE: ${path} is empty.`);
  return secret;
}

function readSecretFile(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    throw new UsageError(`${name}: ${path} cannot be read (${code}).`);
  }
}

/** With the names that Stripe's own documentation uses (decision 0187). */
export function stripeFromEnvironment(): StripeVariables {
  return {
    secretKey: secretFromEnvironment('STRIPE_SECRET_KEY'),
    webhookSecret: secretFromEnvironment('STRIPE_WEBHOOK_SECRET'),
    url: process.env['TILLHOUSE_STRIPE_URL'] || undefined,
  };
}

/**
 * For the program that tells systemd what this process does; undefined if systemd has not started it. Other child processes do not get
 * the socket: PostgreSQL would say itself that it is ready.
 */
export function takeSystemdEnvironment(): NodeJS.ProcessEnv | undefined {
  const { NOTIFY_SOCKET, PATH } = process.env;
  delete process.env['NOTIFY_SOCKET'];
  return NOTIFY_SOCKET ? { NOTIFY_SOCKET, PATH } : undefined;
}

/** For a program that this one runs. */
export function environmentWith(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...variables };
}

/** For a program of ours that this one runs. Without what a test runner tells Node.js to do with its own processes. */
export function environmentOfOwnPrograms(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, NODE_V8_COVERAGE: _coverage, ...others } = process.env;
  return others;
}

function wantsTraces(): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = process.env;
  const isOff =
    process.env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || process.env['OTEL_TRACES_EXPORTER'] === 'none';
  return Boolean(OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) && !isOff;
}

export function toServeConfig(values: Values<typeof SERVE_FLAGS>): ServeConfig {
  const port = parseWholeNumber(values.port, { min: 0, max: HIGHEST_PORT });
  if (port === undefined) throw new UsageError(`--port (PORT) must be a number from 0 to 65535, not '${values.port}'.`);
  // Production never falls back to a processor that moves no money: the operator must choose it (decision 0050).
  if (values.mode === 'production' && values.processor === '') {
    throw new UsageError(
      '--processor (TILLHOUSE_PROCESSOR) is required with --mode production: stripe, the URL of an adapter, or simulator.',
    );
  }
  const adapter = toAdapter(values.processor, processorSecretFromEnvironment());
  const stripe = toStripe(values.processor, stripeFromEnvironment(), values.mode as Mode);
  const publicUrl = values['public-url'];
  const operatorKey = operatorKeyFromEnvironment();
  if (operatorKey !== undefined) requireStrongKey(operatorKey);
  if (publicUrl !== '' && !(/^https?:\/\//.test(publicUrl) && URL.canParse(publicUrl))) {
    throw new UsageError(`--public-url (TILLHOUSE_PUBLIC_URL) must be an http or https URL, not '${publicUrl}'.`);
  }
  if (values.mode === 'production') {
    requireSafeProduction({ ...values, publicUrl });
    if (values.stubs !== '')
      throw new UsageError('--stubs (TILLHOUSE_STUBS) is for a sandbox: production has no stubs.');
    if (values.strict !== '') throw new UsageError('--strict is for a sandbox: production ignores unknown fields.');
  }
  return {
    ...toDataConfig(values),
    port,
    host: values.host,
    adapter,
    stripe,
    demo: values.demo === '' ? undefined : values.demo === 'on',
    demoHistory: values['demo-history'] === 'on',
    demoBeyondLoopback: values['demo-beyond-loopback'] === 'on',
    mode: values.mode as Mode,
    changeMode: values['change-mode'] === 'on',
    retired: values.retired as ServeConfig['retired'],
    publicUrl: publicUrl === '' ? undefined : publicUrl.replace(/\/+$/, ''),
    logLevel: (values['log-level'] || (values.mode === 'production' ? 'info' : 'warn')) as ServeConfig['logLevel'],
    rateLimit: toRateLimit(values['rate-limit'], values.mode as Mode),
    webhookPorts: toWebhookPorts(values['webhook-ports'], values.mode as Mode),
    trustProxy: toTrustedProxies(values['trust-proxy']),
    maxConnections: toMaxConnections(values['max-connections']),
    stopDelayMs: toStopDelayMs(values['stop-delay']),
    keptFor: toKeptFor(values),
    keptRequests: toKeptRequests(values['keep-requests']),
    strict: values.strict !== '',
    stubs: values.stubs || undefined,
    processes: toProcesses(values.processes, { isEmbedded: values['database-url'] === '' }),
    metrics: toMetricsAddress(values.metrics),
    traces: wantsTraces(),
    operatorKey,
    accountKey: accountKeyFromEnvironment(),
    secretsKeys: secretsKeysFromEnvironment(),
  };
}
