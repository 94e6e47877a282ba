/** Runs a transaction on one connection. */
import type { Connection } from './connection.js';
import type { Statement } from './driver.js';
import type { Pool } from './pool.js';
import { codeOf } from './unavailable.js';

type Make<Tx> = (run: (statement: Statement) => void) => Tx;

interface Unsafe {
  unsafe(text: string): PromiseLike<unknown>;
}

/** PostgreSQL's error for every statement after a failed one. */
const FAILED_BEFORE = '25P02';

export async function runTransaction<Tx extends Unsafe, Result>(
  pool: Pool,
  makeTx: Make<Tx>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.reserve();
  try {
    return await runOn(pool, connection, makeTx, work);
  } finally {
    connection.onLostWhileReserved = undefined;
    pool.release(connection);
  }
}

async function runOn<Tx extends Unsafe, Result>(
  pool: Pool,
  connection: Connection,
  makeTx: Make<Tx>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  let failure: unknown;
  let isOver = false;
  const own = makeTx((statement) => connection.run(statement));
  const tx = makeTx((statement) => {
    // Another transaction may use the connection now.
    if (isOver) return void statement.reject(new Error('The transaction has ended.'));
    pool.runReserved(connection, statement, (error) => {
      failure ??= error;
    });
  });
  try {
    await own.unsafe('begin');
    const result = await rejectWhenLost(connection, () => work(tx));
    isOver = true;
    if (failure !== undefined) throw failure;
    await own.unsafe('commit');
    return result;
  } catch (error) {
    isOver = true;
    if (connection.isAlive) await own.unsafe('rollback');
    throw codeOf(error) === FAILED_BEFORE && failure !== undefined ? failure : error;
  }
}

/** Rejects as soon as the connection is lost, without waiting for the rest of the work. */
function rejectWhenLost<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    connection.onLostWhileReserved = reject;
    work().then(resolve, reject);
  });
}
