/** What a stream does while the database is unavailable, and with a client that does not read. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { realNow } from '../base/clock.js';
import { instant } from '../base/time.js';
import type { Account } from '../identity/caller.js';
import type { Topic } from '../identity/topics.js';
import type { Watches } from '../identity/watches.js';
import { ChangeStreams } from './change-stream.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

let publish: (topics: Iterable<Topic>) => void = () => {};

/** Another server has announced the watch before, so there is no gap at the start. */
const watches = {
  serverId: 'here',
  startWatch: async () => true,
  listen(_: string, listener: typeof publish) {
    publish = listener;
    return () => {};
  },
} as unknown as Watches;

const account = {
  id: 'account',
  expiresAt: instant(realNow() + 3_600_000),
  merchant: { id: 'M', watch: null },
} as unknown as Account;

it('stays open during an outage, and then says that everything may have changed', async () => {
  let isDown = true;
  const streams = new ChangeStreams(watches);
  const stream = streams.open(account, async () => {
    if (isDown) throw new Error('no database');
    return account;
  });
  await vi.advanceTimersByTimeAsync(5000);
  expect([stream.destroyed, String(stream.read())]).toEqual([false, expect.stringContaining('event: ready')]);
  isDown = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(String(stream.read())).toBe('event: change\ndata: {"topics":["all"]}\n\n');
  streams.close();
});

it('gathers changes, and sends a heartbeat when there are none', async () => {
  const streams = new ChangeStreams(watches);
  const stream = streams.open(account, async () => account);
  stream.read();
  publish(['sales', 'drawers']);
  publish(['sales']);
  await vi.advanceTimersByTimeAsync(150);
  expect(String(stream.read())).toBe('event: change\ndata: {"topics":["drawers","sales"]}\n\n');
  await vi.advanceTimersByTimeAsync(15_000);
  expect(String(stream.read())).toBe('event: beat\ndata: {}\n\n');
  streams.close();
});

it('is closed when its client does not read', async () => {
  const streams = new ChangeStreams(watches);
  const stream = streams.open(account, async () => account);
  for (let count = 0; count < 3000 && !stream.destroyed; count++) {
    publish(['sales']);
    await vi.advanceTimersByTimeAsync(150);
  }
  expect(stream.destroyed).toBe(true);
});

it('is refused by a server that stops', () => {
  const streams = new ChangeStreams(watches);
  streams.close();
  expect(() => streams.open(account, async () => account)).toThrow();
});
