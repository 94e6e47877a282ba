/** Counts the rows that a statement examines, according to its plan. */
import { expect } from 'vitest';
import { parseArray } from '../../src/database/arrays.js';
import { type Database, openDatabase, type Tx } from '../../src/database/database.js';
import type { TestServer } from './server.js';

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

export interface Statement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Converts parameters seen on the wire to the types that the driver expects for times, bytes and arrays. */
export function toDriverParameters({ parameters }: Statement): unknown[] {
  return parameters.map((value) => {
    const text = String(value);
    if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex');
    if (/^\{(?!"\w+":).*\}$/.test(text)) return parseArray(text); // an array, not JSON
    return /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : value;
  });
}

export interface Examiner {
  /** How many rows of each table the single statement of `work` examined. Its writes are rolled back. */
  examine(work: (tx: Tx) => Promise<unknown>): Promise<Record<string, number>>;
  /** The same for a function, whose statements have no plan outside: according to the counters of PostgreSQL. */
  examineFunction(work: (tx: Tx) => Promise<unknown>): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export async function openExaminer(server: TestServer): Promise<Examiner> {
  const sent: Statement[] = [];
  const database = openDatabase(server.databaseUrl, {
    maxConnections: 1,
    hasLongTimeouts: true,
    onStatement: (text, parameters) => sent.push({ text, parameters }),
  });
  await database.sql`select 1`; // connecting sends other statements
  return {
    async examine(work) {
      sent.length = 0;
      await undoing(database, work);
      const [statement, ...others] = sent.splice(0).filter(({ text }) => !/^(?:begin|rollback)/.test(text.trim()));
      if (!statement) throw new Error('nothing was sent');
      expect(others).toEqual([]);
      const answer = await undoing(server.database, async (tx) => {
        await tx.unsafe('set local random_page_cost = 1.1');
        return tx.unsafe(`explain (analyze, format json) ${statement.text}`, toDriverParameters(statement) as never[]);
      });
      const [[{ Plan }]] = Object.values(answer[0] ?? {}) as [[{ Plan: PlanNode }]];
      const rows: Record<string, number> = {};
      for (const node of nodesOf(Plan)) {
        const table = node['Relation Name'];
        if (table === undefined || !node['Node Type'].endsWith('Scan')) continue;
        const seen = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
        rows[table] = (rows[table] ?? 0) + seen;
      }
      return rows;
    },
    examineFunction: (work) =>
      undoing(database, async (tx) => {
        await tx.unsafe('set local random_page_cost = 1.1');
        const before = await countExaminedRows(tx);
        await work(tx);
        const after = await countExaminedRows(tx);
        const rows = [...after].map(([table, count]): [string, number] => [table, count - (before.get(table) ?? 0)]);
        return Object.fromEntries(rows.filter(([, count]) => count > 0));
      }),
    close: () => database.close(),
  };
}

/** The rows that this connection has examined, by table. The counters may include earlier transactions. */
async function countExaminedRows(tx: Tx): Promise<Map<string, number>> {
  const rows = await tx<{ table: string; count: number }[]>`
    select relname as table, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as count
    from pg_stat_xact_user_tables`;
  return new Map(rows.map(({ table, count }) => [table, count]));
}

/** Runs a function and rolls back its writes. */
async function undoing<Result>({ transaction }: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const results: Result[] = [];
  const undone = new Error('undone');
  await transaction(async (tx) => {
    results.push(await work(tx));
    throw undone;
  }).catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  return results[0] as Result;
}
