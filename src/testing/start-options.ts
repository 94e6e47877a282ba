/** The options of `startTillhouse`. */
import type { Known } from './options.js';

export interface StartOptions {
  /**
   * A folder for an embedded PostgreSQL of this server alone, whose data is kept until the next start. Default: a new database in the
   * PostgreSQL that all test kits of this user share.
   */
  readonly dataDir?: string;
  /** An existing PostgreSQL server, 15 or newer, instead of the embedded one. */
  readonly databaseUrl?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Requests per second and access token; default: no limit. */
  readonly rateLimit?: number;
  /** With `gone`, the ten deprecated operations return 410. */
  readonly retired?: 'serve' | 'gone';
  /** Refuses fields and parameters that an operation does not have, instead of ignoring them. */
  readonly strict?: boolean;
  /** A folder with stubs, as files of JSON; default: none. */
  readonly stubs?: string;
  /** Logs to standard error, as lines of JSON; default: silent. At `info` each request and each fault is logged. */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
}

export const START_OPTIONS: Known<StartOptions> = {
  dataDir: true,
  databaseUrl: true,
  port: true,
  rateLimit: true,
  retired: true,
  strict: true,
  stubs: true,
  logLevel: true,
};
