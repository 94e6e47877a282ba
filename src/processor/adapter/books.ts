/** The books of a processor behind an adapter (decision 0182). */
import { setTimeout as sleep } from 'node:timers/promises';
import { amount } from '../../base/money.js';
import { printMilliseconds, SECOND_MS } from '../../base/time.js';
import { BooksUnavailable, type ProcessorBooks, type ProcessorRecord, type RecordSelection } from '../contract.js';
import {
  invalidPageReason,
  MAX_PAGE_BYTES,
  RECORDS_PATH,
  type WireRecord,
  type WireRecordPage,
} from './record-wire.js';
import { type Adapter, type AdapterReply, reasonOf, send } from './transport.js';

const TIME_LIMIT_MS = 30 * SECOND_MS;
const ATTEMPTS = 3;
const PAUSE_MS = 500;
/** How an adapter responds that has no records: it does not know the path. */
const NOT_OFFERED = [404, 405, 501];

export function openAdapterBooks(adapter: Adapter): ProcessorBooks {
  return {
    async *list(selection) {
      let cursor: string | undefined;
      const read = new Set<string | undefined>();
      do {
        const page = await readPage(adapter, pathOf(selection, cursor));
        read.add(cursor);
        cursor = page.cursor;
        if (cursor !== undefined && read.has(cursor)) throw broken(adapter, 'its pages lead in a circle');
        yield page.records.map(toRecord);
      } while (cursor !== undefined);
    },
  };
}

export function pathOf(selection: RecordSelection, cursor?: string): string {
  const query = new URLSearchParams(
    'begin' in selection
      ? { begin_time: printMilliseconds(selection.begin), end_time: printMilliseconds(selection.end) }
      : { merchant_id: selection.merchantId, payment_id: selection.paymentId },
  );
  if (cursor !== undefined) query.set('cursor', cursor);
  return `${RECORDS_PATH}?${query}`;
}

/** Whether the reply says that the adapter has no such call. */
export function isNotOffered({ status }: AdapterReply): boolean {
  return NOT_OFFERED.includes(status);
}

async function readPage(adapter: Adapter, path: string): Promise<WireRecordPage> {
  let why = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(PAUSE_MS);
    const reply = await send(
      adapter,
      { method: 'GET', path, maxBytes: MAX_PAGE_BYTES },
      AbortSignal.timeout(TIME_LIMIT_MS),
    ).catch((error: unknown) => ({ failure: reasonOf(error) }));
    if ('failure' in reply) why = reply.failure;
    else if (reply.status === 200) {
      const wrong = invalidPageReason(reply.json);
      if (wrong === undefined) return reply.json as WireRecordPage;
      throw broken(adapter, `malformed: ${wrong}`);
    } else if (isNotOffered(reply)) {
      throw new BooksUnavailable(
        `The adapter at ${adapter.url} does not list its records: GET ${RECORDS_PATH} responded ${reply.status}. ` +
          'Only an adapter with this call can be reconciled.',
      );
    } else {
      why = `it responded ${reply.status}`;
      if (reply.status < 500 && reply.status !== 429) break;
    }
  }
  throw broken(adapter, why);
}

function broken({ url }: Adapter, why: string): BooksUnavailable {
  return new BooksUnavailable(`The records of the adapter at ${url} could not be read: ${why}.`);
}

function toRecord(wire: WireRecord) {
  const { type, id, key, merchant_id, payment_id, state, amount_money } = wire;
  const record = {
    ...{ type, id, key, state },
    merchantId: merchant_id,
    paymentId: payment_id,
    amount: amount(amount_money.amount),
    currency: amount_money.currency,
    fee: amount(wire.type === 'payment' ? (wire.fee ?? 0) : 0),
  };
  return record as ProcessorRecord; // the schema allows each type its own states
}
