/** Several statements on one connection, all or nothing. */
import type { Connection, Statement } from './connection.js';
import type { Pool } from './pool.js';
import { codeOf } from './unavailable.js';

type Make<Tx> = (run: (statement: Statement) => void) => Tx;

interface Unsafe {
  unsafe(text: string): PromiseLike<unknown>;
}

/** PostgreSQL's answer to all that follows a statement that failed. */
const FAILED_BEFORE = '25P02';

export async function runTransaction<Tx extends Unsafe, Result>(
  pool: Pool,
  makeTx: Make<Tx>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.reserve();
  try {
    return await runOn(connection, makeTx, work);
  } finally {
    connection.onLostWhileReserved = undefined;
    pool.release(connection);
  }
}

async function runOn<Tx extends Unsafe, Result>(
  connection: Connection,
  makeTx: Make<Tx>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  let failure: unknown;
  let isOver = false;
  const own = makeTx((statement) => connection.run(statement));
  const tx = makeTx((statement) => {
    // The connection is somebody else's by now.
    if (isOver) return void statement.reject(new Error('The transaction is over.'));
    connection.run(statement, (error) => {
      failure ??= error;
    });
  });
  try {
    await own.unsafe('begin');
    const result = await unlessLost(connection, () => work(tx));
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

/** Nobody waits for the rest of a piece of work whose transaction is gone. */
function unlessLost<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    connection.onLostWhileReserved = reject;
    work().then(resolve, reject);
  });
}
