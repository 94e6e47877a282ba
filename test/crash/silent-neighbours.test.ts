/** Refunds of other merchants are not delayed while the processor is silent for some. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFaultyProcessor, type FaultyProcessor } from '../support/faulty-processor.js';
import { pay, refund, usd } from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

const SILENCE_MS = 15_000;
/** How long the baseline without silence is measured. */
const USUAL_MS = 5000;
/** A refund falls due this long after it was created. */
const DUE_AFTER_MS = 3000;
const MOST_ADDED_MS = 1000;
const OTHERS = 5;
/** Enough refunds of other merchants that a stall of one or two seconds affects several of them. */
const EVERY_MS = 250;
const LEAST_REFUNDS = 30;
const LOOK_EVERY_MS = 50;
const PROBE_EVERY_MS = 100;
const PATIENCE_MS = 60_000;

let server: TestServer;
let processor: FaultyProcessor;

beforeAll(async () => {
  processor = createFaultyProcessor();
  server = await startTestServer({ processor });
});
afterAll(() => server.stop());

const createMerchants = (count: number): Promise<TestMerchant[]> =>
  Promise.all(Array.from({ length: count }, () => server.createMerchant()));

const pause = (ms: number): Promise<void> => sleep(Math.max(ms, 0));

interface Measured {
  /** How late each of a series of refunds, spread over several merchants, was finished. */
  readonly delays: readonly number[];
  /** How long payments took meanwhile. No worker takes part in them, so they show the delay of the machine itself. */
  readonly payments: readonly number[];
}

async function measureRefunds(merchants: readonly TestMerchant[], durationMs: number): Promise<Measured> {
  const merchantFor = (turn: number) => merchants[turn % merchants.length] as TestMerchant;
  const end = performance.now() + durationMs;
  const dueTimes = new Map<string, number>();
  const making: Promise<void>[] = [];
  const make = async (merchant: TestMerchant): Promise<void> => {
    const { id, created_at } = await refund(server, merchant, await pay(server, merchant), { amount_money: usd(400) });
    dueTimes.set(id, Date.parse(created_at) + DUE_AFTER_MS);
  };
  const payments: number[] = [];
  const probe = async (): Promise<void> => {
    for (; performance.now() < end + DUE_AFTER_MS; await pause(PROBE_EVERY_MS)) {
      const since = performance.now();
      await pay(server, merchantFor(payments.length));
      payments.push(performance.now() - since);
    }
  };
  const delays = new Map<string, number>();
  const look = async (): Promise<void> => {
    const patienceEnd = end + DUE_AFTER_MS + PATIENCE_MS;
    while (performance.now() < end || (delays.size < dueTimes.size && performance.now() < patienceEnd)) {
      await pause(LOOK_EVERY_MS);
      const waiting = [...dueTimes].filter(([id, dueAt]) => dueAt <= Date.now() && !delays.has(id));
      for (const id of await listCompleted(waiting.map(([each]) => each))) {
        delays.set(id, Date.now() - (dueTimes.get(id) ?? 0));
      }
    }
    expect(delays.size, 'refunds that are finished').toBe(dueTimes.size);
  };
  const looking = look();
  const probing = probe();
  for (; performance.now() < end; await pause(EVERY_MS)) making.push(make(merchantFor(making.length)));
  await Promise.all([...making, looking, probing]);
  return { delays: [...delays.values()], payments };
}

async function listCompleted(ids: readonly string[]): Promise<string[]> {
  const rows = await server.database.sql<{ refundId: string }[]>`
    select refund_id from refunds where refund_id = any (${ids as string[]}::text[]) and status = 'COMPLETED'`;
  return rows.map(({ refundId }) => refundId);
}

/** Starts refunds of these merchants to which the processor does not respond until the returned function is called. */
async function beginSilence(merchants: readonly TestMerchant[]): Promise<() => void> {
  const payments = await Promise.all(merchants.map((merchant) => pay(server, merchant)));
  const held = merchants.map(({ id }) => processor.holdNext(id, 'refund'));
  await Promise.all(payments.map((payment, index) => refund(server, merchants[index] as TestMerchant, payment)));
  return () => {
    for (const { release } of held) release();
  };
}

/** The usual delay: a low percentile, so that a stall in the baseline does not raise it. */
function usualOf(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 4)] ?? Number.NaN;
}

describe('a processor that is silent for 15 seconds', () => {
  // Repeated, because a busy machine can stall one run. A worker that waits for the silent merchants fails every time. At the same time,
  // because both mostly wait.
  it.concurrent.each([1, 50])(
    'for %i merchants delays no refund of another by more than a second',
    { retry: 2 },
    async (count) => {
      const others = await createMerchants(OTHERS);
      const usual = await measureRefunds(others, USUAL_MS);
      const silent = await createMerchants(count);
      const endSilence = await beginSilence(silent);
      // They fall due from the start of the silence, and the last is finished before it ends.
      const { delays, payments } = await measureRefunds(others, SILENCE_MS);
      endSilence();
      expect(delays.length).toBeGreaterThan(LEAST_REFUNDS);
      const machineLateMs = Math.max(...payments) - usualOf(usual.payments);
      const added = delays.map((delay) => Math.round(delay - usualOf(usual.delays)));
      expect(Math.max(...added)).toBeLessThan(MOST_ADDED_MS + machineLateMs);
      expect(silent.map(({ id }) => processor.asked(id, 'refund'))).toEqual(silent.map(() => 1));
    },
  );
});
