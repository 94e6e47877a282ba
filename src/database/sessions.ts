/** Sessions of PostgreSQL that others wait for, as operators see them in logs and commands. */
import type { Fragment, Sql } from './sql.js';

export interface Session {
  readonly pid: number;
  /** As the connection calls itself. */
  readonly application: string;
  readonly state: string;
  /** How long its transaction has been open. */
  readonly seconds: number;
  /** Its last statement, with ? for all values. */
  readonly statement: string;
}

const MAX_SESSIONS = 3;

/** Those with the oldest transactions among the sessions that `pids` selects. A role may see of others only that they exist. */
export async function listSessions(sql: Sql, pids: Fragment): Promise<readonly Session[]> {
  const rows = await sql<Session[]>`
    select
      pid,
      coalesce(application_name, '') as application,
      coalesce(state, '') as state,
      coalesce(extract(epoch from clock_timestamp() - xact_start), 0)::int as seconds,
      left(regexp_replace(coalesce(query, ''), '''[^'']*''|\\m\\d+\\M', '?', 'g'), 200) as statement
    from pg_stat_activity
    where pid in (${pids}) and pid <> pg_backend_pid()
    order by xact_start
    limit ${MAX_SESSIONS}`;
  return [...rows];
}
