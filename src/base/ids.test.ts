/** Identifiers have their formats, and those with a time prefix sort by creation (decision 0014). */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deriveUuid, Ids, isUuid, newSecret } from './ids.js';

const many = <Item>(count: number, make: () => Item): Item[] => Array.from({ length: count }, make);

afterEach(() => {
  vi.useRealTimers();
});

describe('newUuid', () => {
  const newUuids = (count: number, ids = new Ids()) => many(count, () => ids.newUuid());

  it('has the format of a UUID of version 7', () => {
    for (const id of newUuids(1000)) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it('begins with the time in milliseconds', () => {
    vi.useFakeTimers();
    expect(Number.parseInt(new Ids().newUuid().replaceAll('-', '').slice(0, 12), 16)).toBe(Date.now());
  });

  it('is in the order of creation, also for many in one millisecond', () => {
    vi.useFakeTimers();
    const ids = newUuids(20_000); // more than the 12 bits that count within a millisecond
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('stays in order when the clock of the machine goes back', () => {
    vi.useFakeTimers();
    const ids = new Ids();
    const before = ids.newUuid();
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(ids.newUuid() > before).toBe(true);
  });
});

describe('isUuid', () => {
  it.each([
    ['018f3c0d-0e11-7222-8333-444455556666', true],
    ['018F3C0D-0E11-7222-8333-444455556666', true],
    ['6f3c0d0e-1111-4222-8333-444455556666', true],
    ['6f3c0d0e111142228333444455556666', false],
    ['{6f3c0d0e-1111-4222-8333-444455556666}', false],
    ['6f3c0d0e-1111-4222-8333-44445555666', false],
    ['6f3c0d0e-1111-4222-8333-4444555566667', false],
    ['6f3c0d0e-1111-4222-8333-44445555666g', false],
    ['6f3c0d0e-1111-4222-8333-444455556666\n', false],
    ['', false],
  ])('of %j is %s', (text, expected) => {
    expect(isUuid(text)).toBe(expected);
  });
});

describe('newId', () => {
  const made = new Ids();

  it.each([20, 27, 28])('has %i base62 characters and is never the same twice', (length) => {
    const ids = many(1000, () => made.newId(length));
    for (const id of ids) expect(id).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('sorts by the millisecond of its creation, byte by byte', () => {
    vi.useFakeTimers({ now: 1_582_711_200_000 });
    const inTime = new Ids();
    const ids = many(200, () => {
      vi.advanceTimersByTime(61); // across every digit's carry
      return inTime.newId(20);
    });
    expect(ids).toEqual([...ids].sort());
  });

  it('has the same prefix within a millisecond and a random tail', () => {
    vi.useFakeTimers({ now: 1_582_711_200_000 });
    const atOnce = new Ids();
    const ids = many(100, () => atOnce.newId(20));
    expect(new Set(ids.map((id) => id.slice(0, 8))).size).toBe(1);
    expect(new Set(ids.map((id) => id.slice(10))).size).toBe(100);
  });

  it('is in the order of creation, also for many in one millisecond', () => {
    vi.useFakeTimers({ now: 1_582_711_200_000 });
    const atOnce = new Ids();
    const ids = many(10_000, () => atOnce.newId(27)); // more than the two characters can count
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('uses every letter of its alphabet in the tail', () => {
    const letters = new Set(many(500, () => made.newId(28).slice(10)).join(''));
    expect(letters.size).toBe(62);
  });
});

describe('newShortId', () => {
  it.each(['M', 'L'] as const)('is %s and twelve capital letters and digits', (kind) => {
    const made = new Ids();
    const ids = many(500, () => made.newShortId(kind));
    for (const id of ids) expect(id).toMatch(new RegExp(`^${kind}[0-9A-Z]{12}$`));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('newSecret', () => {
  it.each([
    ['EAAA', 64],
    ['opk_', 48],
    ['', 20],
  ])('begins with %j, has %i characters and fits in a URL', (prefix, length) => {
    const secrets = many(100, () => newSecret(prefix, length));
    for (const secret of secrets) {
      expect(secret).toHaveLength(length);
      expect(secret.startsWith(prefix)).toBe(true);
      expect(secret).toMatch(/^[\w-]+$/);
    }
    expect(new Set(secrets).size).toBe(secrets.length);
  });
});

describe('deriveUuid', () => {
  it('is a UUID of version 8, the same for the same words and another for other words', () => {
    const id = deriveUuid('M1', 'tax', 'Sales tax');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(deriveUuid('M1', 'tax', 'Sales tax')).toBe(id);
    expect(
      new Set([id, deriveUuid('M2', 'tax', 'Sales tax'), deriveUuid('M1', 'tax', 'Sales'), deriveUuid('M1')]).size,
    ).toBe(4);
  });

  it('does not change between versions, because receipts store it', () => {
    expect(deriveUuid('M1', 'tax', 'Sales tax')).toBe('c0050828-2223-8620-af3e-7033a3b63498');
  });
});

describe('a source', () => {
  const counting = () => {
    let next = 0;
    return { now: () => 1_500_000_000_000, byte: () => next++ % 256 };
  };
  const make = (ids: Ids) => [ids.newUuid(), ids.newUuid(), ids.newId(27), ids.newShortId('M')];

  it('creates the same identifiers again, in the order of creation', () => {
    const [one, other] = [make(new Ids(counting())), make(new Ids(counting()))];
    expect(one).toEqual(other);
    expect(one[0]?.startsWith('015d3ef7-9800-7')).toBe(true);
    expect((one[0] ?? '') < (one[1] ?? '')).toBe(true);
  });

  it('is independent of another one that is used in between', () => {
    const [alone, mixed, real] = [new Ids(counting()), new Ids(counting()), new Ids()];
    const expected = [alone.newUuid(), alone.newUuid()];
    const [first, between, second] = [mixed.newUuid(), real.newUuid(), mixed.newUuid()];
    expect([first, second]).toEqual(expected);
    expect(real.newUuid() > between).toBe(true);
  });
});
