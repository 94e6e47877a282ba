/** Checks the records of an adapter: what `tillhouse reconcile` needs (decision 0182). */
import { realNow } from '../../base/clock.js';
import { HOUR_MS, instant, MINUTE_MS } from '../../base/time.js';
import type { RecordSelection } from '../contract.js';
import { isNotOffered, pathOf } from './books.js';
import { type Body, type Checker, Omitted } from './checker.js';
import { invalidPageReason, RECORDS_PATH, type WireRecord, type WireRecordPage } from './record-wire.js';

/** More pages would take too long. They can come from others who use the adapter at the same time. */
const MAX_PAGES = 1000;
/** How much the clocks of adapter and server may differ. */
const SKEW_MS = 10 * MINUTE_MS;

export const RECORD_CHECKS: Readonly<Record<string, (checker: Checker) => Promise<void>>> = {
  'payments and refunds of a day are listed once, as they are': async (checker) => {
    await requireRecords(checker);
    const { amount } = checker.settings;
    const [taken, reserved] = [checker.authorization(), checker.authorization({ capture: false })];
    const returned = checker.next(taken, checker.part(1));
    const { fee: takenFee = 0 } = (await checker.expectOutcome('authorize', taken, 'approved')) as { fee?: number };
    await checker.expectOutcome('refund', returned, 'refunded');
    await checker.expectOutcome('authorize', reserved, 'approved');
    const expect = async (wanted: readonly (readonly [Body, Partial<WireRecord>])[]) => {
      const now = realNow();
      const listed = await listRecords(checker, { begin: instant(now - SKEW_MS), end: instant(now + SKEW_MS) });
      for (const [body, record] of wanted) expectRecord(listed, body, record);
    };
    await expect([
      [taken, { type: 'payment', state: 'captured', fee: takenFee, amount_money: money(checker, amount) }],
      [returned, { type: 'refund', state: 'refunded', amount_money: money(checker, 1) }],
      [reserved, { type: 'payment', state: 'authorized', amount_money: money(checker, amount) }],
    ]);
    await checker.expectOutcome('void', checker.next(reserved), 'voided');
    await expect([[reserved, { type: 'payment', state: 'voided' }]]);
  },

  'the records of one payment are listed, and those of another time are not': async (checker) => {
    await requireRecords(checker);
    const body = checker.authorization();
    await checker.expectOutcome('authorize', body, 'approved');
    const paymentId = String(body['payment_id']);
    const ofPayment = await listRecords(checker, { merchantId: String(body['merchant_id']), paymentId });
    expectRecord(ofPayment, body, { type: 'payment', state: 'captured' });
    if (ofPayment.length > 1) throw new Error(`payment_id: one record was made, but ${ofPayment.length} are listed`);
    const now = realNow();
    const before = { begin: instant(now - 3 * HOUR_MS), end: instant(now - 2 * HOUR_MS) };
    const listed = await listRecords(checker, before);
    if (listed.some(({ key }) => key === body.key))
      throw new Error('a new record is listed at a time before it was made');
  },

  'a list of records without a time is refused with 400, and without a signature with 401': async (checker) => {
    await requireRecords(checker);
    const request = { method: 'GET', path: RECORDS_PATH } as const;
    await checker.expectStatus(checker.send(request), 400, 'a list without parameters');
    await checker.expectStatus(checker.send({ ...request, signature: '' }), 401, 'a list without a signature');
  },
};

const money = ({ settings: { currency } }: Checker, amount: number) => ({ amount, currency });

/** An adapter may have no records. */
async function requireRecords(checker: Checker): Promise<void> {
  const now = realNow();
  const reply = await checker.send({ method: 'GET', path: pathOf({ begin: instant(now - 1), end: now }) });
  if (isNotOffered(reply))
    throw new Omitted('The adapter does not list its records, so tillhouse reconcile cannot work.');
}

async function listRecords(checker: Checker, selection: RecordSelection): Promise<WireRecord[]> {
  const records: WireRecord[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { status, json } = await checker.send({ method: 'GET', path: pathOf(selection, cursor) });
    if (status !== 200) throw new Error(`GET ${RECORDS_PATH}: the status must be 200, not ${status}`);
    const why = invalidPageReason(json);
    if (why !== undefined) throw new Error(`GET ${RECORDS_PATH}: ${why}`);
    const page = json as WireRecordPage;
    records.push(...page.records);
    if (page.cursor === undefined) return records;
    cursor = page.cursor;
  }
  throw new Error(`GET ${RECORDS_PATH}: there is still a cursor after ${MAX_PAGES} pages`);
}

function expectRecord(listed: readonly WireRecord[], body: Body, wanted: Partial<WireRecord>): void {
  const found = listed.filter(({ key }) => key === body.key);
  const what = `the record with the key ${body.key}`;
  if (found.length !== 1) throw new Error(`${what} is listed ${found.length} times, not once`);
  const [record] = found as [WireRecord];
  const ids = { merchant_id: String(body['merchant_id']), payment_id: String(body['payment_id']) };
  for (const [name, value] of Object.entries({ ...ids, ...wanted })) {
    const given = record[name as keyof WireRecord] ?? (name === 'fee' ? 0 : undefined);
    if (JSON.stringify(sorted(given)) !== JSON.stringify(sorted(value))) {
      throw new Error(`${what}: ${name} must be ${JSON.stringify(value)}, not ${JSON.stringify(given)}`);
    }
  }
}

/** The members of an object may come in any order. */
function sorted(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).toSorted() : value;
}
