/**
 * Writes refusals to the audit log, so that a flood of them cannot fill the disk. The first refusal of a kind is written at once.
 * Equal ones are counted and written as one entry at the end of the time window.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, SECOND_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import { type AuditEntry, recordAudit } from './audit.js';

const WINDOW_MS = 5 * MINUTE_MS;
/** Above this number of kinds in a window, further addresses and merchants are counted together. */
const MAX_KINDS = 200;
/** An unavailable database must not keep the server from stopping. */
const CLOSING_LIMIT_MS = 2 * SECOND_MS;

interface Counted {
  readonly entry: AuditEntry;
  /** Occurrences that are not written yet. */
  more: number;
}

export class SecurityLog {
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;
  readonly #counted = new Map<string, Counted>();
  readonly #writing = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  /** Does not wait for the write: the refusal is returned even if it cannot be recorded. */
  record(entry: AuditEntry): void {
    const [key, counted] = this.#group(entry);
    const known = this.#counted.get(key);
    if (known) {
      known.more++;
      return;
    }
    this.#counted.set(key, { entry: counted, more: 0 });
    this.#timer ??= setTimeout(() => this.#endWindow(), WINDOW_MS).unref();
    this.#write(counted);
  }

  /** Writes the counts of the current window. */
  async close(): Promise<void> {
    this.#endWindow();
    await Promise.race([Promise.all(this.#writing), sleep(CLOSING_LIMIT_MS, undefined, { ref: false })]);
  }

  #group(entry: AuditEntry): [string, AuditEntry] {
    const { kind, merchantId, address, accountId, applicationId, deviceId, employeeId, details } = entry;
    const who = [merchantId, address, accountId, applicationId, deviceId, employeeId];
    const key = JSON.stringify([kind, details?.['reason'], ...who]);
    if (this.#counted.has(key) || this.#counted.size < MAX_KINDS) return [key, entry];
    return [kind, { kind, details: { note: 'many different sources' } }];
  }

  #endWindow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { entry, more } of this.#counted.values()) if (more > 0) this.#write({ ...entry, occurrences: more });
    this.#counted.clear();
  }

  #write(entry: AuditEntry): void {
    const written = this.#database.statement((tx) => recordAudit(tx, entry)).catch(this.#onError);
    this.#writing.add(written);
    void written.finally(() => this.#writing.delete(written));
  }
}
