/** What was written to PostgreSQL's log and to the tables between two moments. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { SUPERUSER } from '../../dist/database/embedded/connection.js';

/** A session that has nothing to do tells what it has counted after ten seconds. */
const COUNTED_AFTER_MS = 11_000;

export class Wal {
  #sql;

  constructor(sql) {
    this.#sql = sql;
  }

  static async open({ databaseUrl, dataDir }) {
    const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
    const sql = postgres(databaseUrl, { user: SUPERUSER, password, max: 1, onnotice: () => {} });
    await sql`create extension if not exists pg_walinspect`;
    return new Wal(sql);
  }

  close() {
    return this.#sql.end();
  }

  /** The position in the log, and the counters and sizes of all tables. */
  async read() {
    while (await this.#hasWork()) await sleep(200);
    await sleep(COUNTED_AFTER_MS);
    const [{ lsn }] = await this.#sql`select pg_current_wal_insert_lsn()::text as lsn`;
    const tables = await this.#sql`
      select relname as name, n_tup_ins as inserted, n_tup_upd as updated, n_tup_hot_upd as hot, n_tup_del as deleted,
        pg_relation_size(relid) as table, pg_indexes_size(relid) as indexes,
        pg_total_relation_size(relid) - pg_relation_size(relid) - pg_indexes_size(relid) as toast
      from pg_stat_user_tables
      where schemaname = 'public'
      order by relname`;
    return { lsn, tables, written: (from) => this.#written(from, lsn) };
  }

  /** Refunds are finished in the background. */
  async #hasWork() {
    const [{ found }] = await this.#sql`select exists (select from due_work where kind = 'FINISH_REFUND') as found`;
    return found;
  }

  async #written(from, to) {
    const [row] = await this.#sql`
      select sum(record_size) as log, sum(fpi_size) as pages,
        sum(count) filter (where "resource_manager/record_type" ~ '^Btree/(INSERT_(LEAF|POST)|SPLIT_[LR])$') as entries
      from pg_get_wal_stats(${from}::pg_lsn, ${to}::pg_lsn, true)`;
    return { log: Number(row.log), pages: Number(row.pages), entries: Number(row.entries) };
  }

  /** For each of `count` writes, also by table. An index page that is split counts as an entry, because the entry is in that record. */
  static async difference(before, after, count) {
    const { log, pages, entries } = await after.written(before.lsn);
    const known = new Map(before.tables.map((row) => [row.name, row]));
    const byTable = {};
    for (const { name, ...values } of after.tables) {
      const row = Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, (Number(value) - Number(known.get(name)[key])) / count]),
      );
      if (row.inserted + row.updated + row.deleted > 0.01) byTable[name] = row;
    }
    const sum = (key) => Object.values(byTable).reduce((total, row) => total + row[key], 0);
    return {
      log: log / count,
      pages: pages / count,
      entries: entries / count,
      rows: { inserted: sum('inserted'), updated: sum('updated'), hot: sum('hot'), deleted: sum('deleted') },
      bytes: { table: sum('table'), indexes: sum('indexes'), toast: sum('toast') },
      byTable,
    };
  }
}
