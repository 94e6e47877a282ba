/** Records the mode of a database when a server first opens it, and enforces it afterwards (decision 0104). */
import { realNow } from '../../base/clock.js';
import { type Mode, UsageError } from '../../base/config.js';
import type { Database } from '../../database/database.js';
import { recordAudit } from '../../identity/audit.js';
import { findDatabaseMode, hasSandboxMerchants, insertDatabaseMode, lockDatabaseMode } from './mode-queries.js';

export interface ModeRequest {
  readonly mode: Mode;
  /** Whether this mode may replace another recorded mode. */
  readonly changeMode?: boolean | undefined;
}

/** Records the mode if none is recorded yet. Throws if the database must not be opened in this mode. */
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

/** Only a sandbox may contain such merchants, so no flag overrides this check. */
function refuseSandboxMerchants({ demo, movedClock }: { readonly demo: boolean; readonly movedClock: boolean }): void {
  const found = demo ? 'the demo merchant' : movedClock ? 'a merchant whose clock was moved or frozen' : undefined;
  if (found === undefined) return;
  throw new UsageError(
    `This database has ${found}, so it cannot be opened with --mode production. Choose another database: ` +
      '--data-dir or --database-url.',
  );
}

/** For commands that generate businesses or move clocks. */
export async function requireSandbox(database: Database, command: string): Promise<void> {
  if ((await findDatabaseMode(database.sql)) !== 'production') return;
  throw new UsageError(`This database belongs to a production server. tillhouse ${command} works only on a sandbox.`);
}
