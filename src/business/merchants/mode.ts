/** The mode of a database: recorded when a server first opens it, and kept to from then on (decision 0104). */
import { realNow } from '../../base/clock.js';
import { type Mode, UsageError } from '../../base/config.js';
import type { Database } from '../../database/database.js';
import { recordAudit } from '../../identity/audit.js';
import { findDatabaseMode, hasSandboxMerchants, insertDatabaseMode, lockDatabaseMode } from './mode-queries.js';

export interface ModeRequest {
  readonly mode: Mode;
  /** Whether another mode may be replaced by this one. */
  readonly changeMode?: boolean | undefined;
}

/** Records the mode where none is recorded yet; refuses a database that must not be opened in this mode. */
export async function enterMode(database: Database, { mode, changeMode = false }: ModeRequest): Promise<void> {
  await database.transaction(async (tx) => {
    await lockDatabaseMode(tx);
    if (mode === 'production') refuseSandboxMerchants(await hasSandboxMerchants(tx));
    const recorded = await findDatabaseMode(tx);
    if (recorded === mode) return;
    if (recorded !== undefined && !changeMode) {
      throw new UsageError(
        `This database belongs to a ${recorded} server. Start it with --mode ${recorded}, choose another database, ` +
          `or add --change-mode to make it a ${mode} database from now on.`,
      );
    }
    await insertDatabaseMode(tx, mode, realNow());
    const kind = recorded === undefined ? 'MODE_RECORDED' : 'MODE_CHANGED';
    await recordAudit(tx, { kind, details: { mode, ...(recorded && { before: recorded }) } });
  });
}

/** What a sandbox may do and a real business must never have had done to it; no flag overrides this. */
function refuseSandboxMerchants({ demo, movedClock }: { readonly demo: boolean; readonly movedClock: boolean }): void {
  const found = demo ? 'the demo merchant' : movedClock ? 'a merchant whose clock was moved or frozen' : undefined;
  if (found === undefined) return;
  throw new UsageError(
    `This database has ${found}, so it cannot be opened with --mode production. Choose another database: ` +
      '--data-dir or --database-url.',
  );
}

/** For commands that make up businesses or move time. */
export async function requireSandbox(database: Database, command: string): Promise<void> {
  if ((await findDatabaseMode(database.sql)) !== 'production') return;
  throw new UsageError(`This database belongs to a production server; tillhouse ${command} is for a sandbox.`);
}
