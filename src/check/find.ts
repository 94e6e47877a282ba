/** Finds the rows that break laws. */

import type { Tx } from '../database/database.js';
import { putFunctionsOnPath } from '../database/functions.js';
import { isNewer, toXid } from './horizon.js';
import type { Breach, Law } from './law.js';
import { narrow } from './narrowed.js';
import { IdSet, Parameters } from './parameters.js';
import type { Touched } from './touched.js';

const MAX_EXAMPLES = 20;
/** So many of a law can be acknowledged. More are no exceptions. */
const MAX_ACKNOWLEDGED = 1000;
const MAX_FOUND = MAX_EXAMPLES + MAX_ACKNOWLEDGED;
/** With less, PostgreSQL would write the hash tables of joins to disk. */
const WORK_MEM = '64MB';

/** A record that broke a law at the last check. */
export type OpenFinding = Pick<Breach, 'law' | 'merchantId' | 'subject'>;

/** What an incremental check reads. */
export interface Reading {
  /** Every transaction with a lower id had ended at the last check, and its rows were checked. */
  readonly horizon: string;
  /** The records that broke a law then. */
  readonly open: readonly OpenFinding[];
  readonly touched: Touched;
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

export async function findBreachesOf(tx: Tx, law: Law, reading?: Reading): Promise<FoundOfLaw> {
  const since = performance.now();
  const { statement, parameters } = toStatement(law, reading);
  // Prepared: a connection that checks often, as those of tests do, plans each law once. On small tables that takes longer than the check.
  const rows = await tx.unsafe<Omit<Breach, 'law'>[]>(statement, parameters, { prepare: true });
  return {
    law,
    seconds: (performance.now() - since) / 1000,
    all: rows.map((row) => ({ ...row, law: law.name })),
    isCutOff: rows.length === MAX_FOUND,
  };
}

/** Whether an incremental check reads less for this law. What it found is then checked again each time. */
export function isNarrowed({ isOfSales, sinceLast }: Law): boolean {
  return isOfSales !== undefined || sinceLast !== undefined;
}

/** What is printed: the first ones that nobody has acknowledged. */
export function firstOf({ all }: FoundOfLaw, isKnown: (breach: Breach) => boolean): Breach[] {
  return all.filter((breach) => !isKnown(breach)).slice(0, MAX_EXAMPLES);
}

function toStatement(law: Law, reading?: Reading): { statement: string; parameters: string[] } {
  const first = (statement: string) => `select * from (${statement}) as broken limit ${MAX_FOUND}`;
  if (!reading || !isNarrowed(law)) return { statement: first(law.statement), parameters: [] };
  const [parameters, { touched, open }, horizon] = [new Parameters(), reading, toXid(reading.horizon)];
  if (!law.sinceLast) {
    const narrowed = narrow(law, { parameters, touched, horizon });
    return { statement: `${narrowed} ${first(law.statement)}`, parameters: parameters.values };
  }
  const ofLaw = new IdSet();
  for (const each of open) if (each.law === law.name) ofLaw.add(each.merchantId, each.subject);
  const statement = law.sinceLast({
    isNew: (alias) => isNewer(alias, parameters.text(horizon)),
    open: parameters.rows(ofLaw),
    sales: parameters.rows(touched.sales),
    refunds: parameters.rows(touched.refunds),
    merchants: parameters.array(touched.merchants),
  });
  return { statement: first(statement), parameters: parameters.values };
}
