import { describe, expect, it } from 'vitest';
import { addressOf, networkOf } from './visitor.js';

describe('networkOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['::', '0:0:0:0::/64'],
  ])('counts %s as %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('addressOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:DB8:0:0:0:0:0:01', '2001:db8::1'],
    ['[2001:0DB8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', '127.0.0.1'],
    ['203.0.113.7, evil', '127.0.0.1'],
    ['', '127.0.0.1'],
  ])('of what a proxy calls %j is %s', (ip, address) => {
    expect(addressOf({ ip, socket: { remoteAddress: '::ffff:127.0.0.1' } as never })).toBe(address);
  });
});
