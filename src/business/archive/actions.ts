/** Moves sales of years that are over to the archive (decision 0253). */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowOn } from '../../base/clock.js';
import { type Instant, instant, printMilliseconds, yearBefore } from '../../base/time.js';
import type { Database, Sql, Tx } from '../../database/database.js';
import { type OnBlocked, repeatWhileBlocked, waitShortly } from '../../database/short-locks.js';
import { codeOf } from '../../database/unavailable.js';
import { recordAudit } from '../../identity/audit.js';
import type { Merchant } from '../merchants/model.js';
import { addTallies, type Batch, NOTHING, type StayReason, type Tally } from './model.js';
import {
  type Candidate,
  findSaleCount,
  listPaymentsOfSales,
  listSaleIds,
  listSalesInUse,
  listUncapturedInUse,
  listUnpaidSalesInUse,
  lockPaymentsOfSales,
  lockSales,
  moveSalesToArchive,
  type PaymentOfSale,
} from './queries.js';
import { STAYING } from './reason-queries.js';

/** Small, so that no request waits long for a row that moves. */
const BATCH_SIZE = 200;
const SERIALIZATION_FAILURE = '40001';
/** If a batch cannot get its locks, the sessions that use these tables are reported. */
const MOVED_TABLES = ['sales', 'payments', 'refunds', 'orders'];

export interface Archiving {
  /** Sales from before this time, which are also older than a year on the clock of the merchant. */
  readonly before: Instant;
  /** Only says what would move. */
  readonly isDryRun: boolean;
  readonly onBlocked: OnBlocked;
  /** Called after each batch. */
  readonly onBatch: (tally: Tally) => void;
}

/** The archive exists, or this is a dry run. What has moved stays in the archive if a later batch fails. */
export async function archiveSales(database: Database, merchant: Merchant, archiving: Archiving): Promise<Tally> {
  const { id: merchantId, clock } = merchant;
  const { isDryRun, onBatch } = archiving;
  const now = nowOn(clock);
  const before = instant(Math.min(archiving.before, yearBefore(now)));
  const young = await findSaleCount(database.sql, { merchantId, from: before, before: archiving.before });
  let tally: Tally = young === 0 ? NOTHING : { moved: 0, stayed: { REFUNDABLE: young } };
  for (const list of [listSalesInUse, listUnpaidSalesInUse, listUncapturedInUse]) {
    let after: Candidate | undefined;
    do {
      const since = performance.now();
      const page = await list(database.sql, { merchantId, before, after, limit: BATCH_SIZE });
      after = page.at(-1);
      if (page.length === 0) break;
      const candidates = { merchantId, saleIds: page.map(({ saleId }) => saleId), now, before };
      const some = isDryRun
        ? await divideHere(database.sql, candidates)
        : await moveSome(database, candidates, tally.moved === 0, archiving);
      tally = addTallies(tally, some);
      onBatch(some);
      if (!isDryRun) await sleep(performance.now() - since); // others have half of the time
    } while (after);
  }
  return tally;
}

type Candidates = Omit<Batch, 'paymentIds'>;

async function divideHere(sql: Sql, candidates: Candidates): Promise<Tally> {
  const payments = await listPaymentsOfSales(sql, candidates.merchantId, candidates.saleIds);
  return (await divide(sql, candidates, payments)).tally;
}

/** One commit for everything that belongs to these sales. The first one is recorded in the audit log. */
async function moveSome(
  database: Database,
  candidates: Candidates,
  isFirst: boolean,
  { onBlocked }: Archiving,
): Promise<Tally> {
  const { merchantId, saleIds, before } = candidates;
  const move = async (tx: Tx): Promise<Tally> => {
    await waitShortly(tx);
    const { free, busy, payments } = await lock(tx, merchantId, saleIds);
    const { moving, tally } = await divide(tx, { ...candidates, saleIds: free }, payments);
    if (moving.length > 0) {
      await moveSalesToArchive(tx, merchantId, moving);
      const details = { before: printMilliseconds(before) };
      if (isFirst) await recordAudit(tx, { merchantId, kind: 'SALES_ARCHIVED', details });
    }
    return busy === 0 ? tally : addTallies(tally, { moved: 0, stayed: { IN_USE: busy } });
  };
  const attempt = async (): Promise<Tally> => {
    for (;;) {
      try {
        return await database.transaction(move);
      } catch (error) {
        if (codeOf(error) !== SERIALIZATION_FAILURE) throw error; // something was added to a sale while it moved
      }
    }
  };
  return repeatWhileBlocked(database.sql, { tables: MOVED_TABLES, onBlocked }, attempt);
}

interface Locked {
  readonly free: readonly string[];
  readonly busy: number;
  /** Of the free sales. */
  readonly payments: readonly PaymentOfSale[];
}

/** A sale that somebody else has locked, or one of its payments, is left to them. */
async function lock(tx: Tx, merchantId: string, saleIds: readonly string[]): Promise<Locked> {
  const lockedSales = new Set(await lockSales(tx, merchantId, saleIds));
  const lockedPayments = new Set(await lockPaymentsOfSales(tx, merchantId, saleIds));
  const found = await listSaleIds(tx, merchantId, saleIds);
  const payments = await listPaymentsOfSales(tx, merchantId, saleIds);
  const busy = new Set([
    ...found.filter((id) => !lockedSales.has(id)),
    ...payments.filter(({ paymentId }) => !lockedPayments.has(paymentId)).map(({ saleId }) => saleId),
  ]);
  const free = new Set([...found, ...payments.map(({ saleId }) => saleId)].filter((id) => !busy.has(id)));
  return { free: [...free], busy: busy.size, payments: payments.filter(({ saleId }) => free.has(saleId)) };
}

/** Asks for each reason in turn, for the sales that have none so far. */
async function divide(
  sql: Sql,
  candidates: Candidates,
  payments: readonly PaymentOfSale[],
): Promise<{ readonly moving: readonly string[]; readonly tally: Tally }> {
  const moving = new Set(candidates.saleIds);
  const stayed: Partial<Record<StayReason, number>> = {};
  for (const [reason, listStaying] of Object.entries(STAYING)) {
    if (moving.size === 0) break;
    const paymentIds = payments.filter(({ saleId }) => moving.has(saleId)).map(({ paymentId }) => paymentId);
    const staying = new Set(await listStaying(sql, { ...candidates, saleIds: [...moving], paymentIds }));
    for (const id of staying) moving.delete(id);
    if (staying.size > 0) stayed[reason as StayReason] = staying.size;
  }
  return { moving: [...moving], tally: { moved: moving.size, stayed } };
}
