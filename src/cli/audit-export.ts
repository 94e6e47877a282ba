/** `tillhouse audit --since` and `--follow`: prints events in an order in which the next run continues (decision 0244). */
import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { toAuditEvent } from '../access/dashboard/audit.view.js';
import { UsageError } from '../base/config.js';
import { type Instant, parseTime } from '../base/time.js';
import type { Database } from '../database/database.js';
import { exportAudit, findEnd } from '../identity/audit-export.js';
import type { NumberedEvent } from '../identity/audit-export-queries.js';

const LOOK_EVERY_MS = 1000;

export interface ExportRequest {
  readonly merchantId: string | undefined;
  readonly kind: string | undefined;
  /** A time, or a cursor of an earlier export. Empty: what the cursor file says, or from now on. */
  readonly since: string;
  readonly follows: boolean;
  /** Empty: none. */
  readonly cursorFile: string;
  readonly limit: number;
  readonly print: (event: NumberedEvent) => string;
}

/** One line of JSON. Its cursor continues after it. */
export function toLine(event: NumberedEvent): string {
  return JSON.stringify({ ...toAuditEvent(event), cursor: String(event.position) });
}

/**
 * What a cursor file says was printed before. It is written after the lines, so what was not printed before a crash is printed after it,
 * and the last page perhaps twice.
 */
export async function exportEvents(database: Database, request: ExportRequest): Promise<void> {
  const { merchantId, kind, cursorFile, print } = request;
  let { after, since } = await findStart(database, request);
  let left = request.limit;
  for (;;) {
    for await (const page of exportAudit(database, after, { merchantId, kind, since })) {
      const printed = page.slice(0, left);
      await write(printed.map((event) => `${print(event)}\n`).join(''));
      after = printed.at(-1)?.position ?? after;
      if (cursorFile !== '') await saveCursor(cursorFile, after);
      left -= printed.length;
      if (left === 0) return;
    }
    if (!request.follows) return;
    await sleep(LOOK_EVERY_MS);
  }
}

interface Start {
  readonly after: number;
  readonly since: Instant | undefined;
}

async function findStart(database: Database, { since, follows, cursorFile }: ExportRequest): Promise<Start> {
  const saved = cursorFile === '' ? undefined : await readCursor(cursorFile);
  const from = saved ?? since;
  if (from === '') return { after: follows ? await findEnd(database) : 0, since: undefined };
  if (/^\d{1,15}$/.test(from)) return { after: Number(from), since: undefined };
  const time = parseTime(from);
  if (time === undefined) {
    throw new UsageError(`--since must be a time such as 2026-11-19T00:00:00Z, or a cursor, not '${from}'.`);
  }
  return { after: 0, since: time };
}

async function readCursor(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UsageError(`--cursor-file: ${path} cannot be read (${error.code}).`);
  });
  if (text === undefined || /^\d{1,15}\n$/.test(text)) return text?.trim();
  throw new UsageError(`--cursor-file: ${path} has no cursor. Remove it to begin anew.`);
}

/** Renamed when it is on the disk, so that a crash leaves the old cursor or the new one. */
async function saveCursor(path: string, position: number): Promise<void> {
  const unfinished = `${path}.${randomUUID()}`;
  await writeFile(unfinished, `${position}\n`, { flush: true });
  await rename(unfinished, path);
}

/** Resolves when the text has been handed over. A reader that is gone is an error: its events are not marked as printed. */
function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject);
    process.stdout.write(text, (error) => {
      if (error) return reject(error);
      process.stdout.off('error', reject);
      resolve();
    });
  });
}
