import { describe, expect, it } from 'vitest';
import { preferredCoding } from './compression.js';

describe('preferredCoding', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP;Q=1.0 , BR ; q=0.2', 'gzip'],
    ['br;q=0, gzip;q=0.001', 'gzip'],
    ['*', 'br'],
    ['br;q=0, *;q=0.5', 'gzip'],
    ['*;q=0', undefined],
    ['gzip, *;q=0', 'gzip'],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
    ['gzip, identity', 'gzip'],
    ['deflate, zstd', undefined],
    ['gzip;q=nonsense', undefined],
    ['gzip;q=-1', undefined],
    [';;,,=', undefined],
  ])('of %j is %s', (header, coding) => {
    expect(preferredCoding(header)).toBe(coding);
  });

  it('is one of those that are offered', () => {
    expect(preferredCoding('br, gzip', ['gzip'])).toBe('gzip');
    expect(preferredCoding('br, gzip', [])).toBeUndefined();
  });
});
