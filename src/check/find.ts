/** Finds the rows that break laws. */

import type { Tx } from '../database/database.js';
import { putFunctionsOnPath } from '../database/functions.js';
import type { Breach, LastCheck, Law } from './law.js';

const MAX_EXAMPLES = 20;
/** So many of a law can be acknowledged. More are no exceptions. */
const MAX_ACKNOWLEDGED = 1000;
const MAX_FOUND = MAX_EXAMPLES + MAX_ACKNOWLEDGED;
/** With less, PostgreSQL would write the hash tables of joins to disk. */
const WORK_MEM = '64MB';

/** A record that broke a law at the last check. */
export type OpenFinding = Pick<Breach, 'law' | 'merchantId' | 'subject'>;

/** What was checked before. Laws about documents then skip those of older versions of rows, except those of `open`. */
export interface Checked {
  /** Every transaction with a lower id had ended, and its rows were checked. */
  readonly horizon: string;
  readonly open: readonly OpenFinding[];
}

export interface FoundOfLaw {
  readonly law: Law;
  readonly seconds: number;
  /** With those that were acknowledged. */
  readonly all: readonly Breach[];
  /** There may be more. */
  readonly isCutOff: boolean;
}

/** Must run once in a transaction before laws are checked in it. */
export async function prepareForLaws(tx: Tx): Promise<void> {
  await tx.unsafe(`set transaction read only; set local work_mem to '${WORK_MEM}'`);
  await putFunctionsOnPath(tx);
}

export async function findBreachesOf(tx: Tx, law: Law, checked?: Checked): Promise<FoundOfLaw> {
  const since = performance.now();
  const { statement, parameters } = limitedTo(law, checked);
  const limited = `select * from (${statement}) as broken limit ${MAX_FOUND}`;
  // Prepared: a connection that checks often, as those of tests do, plans each law once. On small tables that takes longer than the check.
  const rows = await tx.unsafe<Omit<Breach, 'law'>[]>(limited, parameters, { prepare: true });
  return {
    law,
    seconds: (performance.now() - since) / 1000,
    all: rows.map((row) => ({ ...row, law: law.name })),
    isCutOff: rows.length === MAX_FOUND,
  };
}

/** Whether an incremental check reads less for this law. What it found is then checked again each time. */
export function skipsDocuments({ row, sinceLast }: Law): boolean {
  return row !== undefined || sinceLast !== undefined;
}

/** What is printed: the first ones that nobody has acknowledged. */
export function firstOf({ all }: FoundOfLaw, isKnown: (breach: Breach) => boolean): Breach[] {
  return all.filter((breach) => !isKnown(breach)).slice(0, MAX_EXAMPLES);
}

/**
 * A row has the transaction id that wrote its version. Ages are compared, because these ids begin anew after four billion. An old row whose
 * id looks new because of that is checked once more than necessary.
 */
function limitedTo(law: Law, checked?: Checked): { statement: string; parameters: string[] } {
  const { name, statement, row } = law;
  if (!checked || !skipsDocuments(law)) return { statement, parameters: [] };
  const open = checked.open.filter((each) => each.law === name);
  const xid = BigInt.asUintN(32, BigInt(checked.horizon)).toString();
  const last: LastCheck = {
    isNew: (alias) => `age(${alias}.xmin) <= (select age($1::text::xid))`,
    open: `json_to_recordset($2::text::json) as open ("merchantId" text, subject text)`,
  };
  const limited = law.sinceLast?.(last) ?? (row ? limitedToRows(statement, row, last) : statement);
  return { statement: limited, parameters: [xid, JSON.stringify(open)] };
}

function limitedToRows(statement: string, { alias, id }: NonNullable<Law['row']>, { isNew, open }: LastCheck): string {
  return `${statement} and (
      ${isNew(alias)}
      or (${alias}.merchant_id, ${alias}.${id}) in (select "merchantId", subject from ${open})
    )`;
}
