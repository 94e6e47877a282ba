/** Decides where messages may go (decision 0077): a server must not be made to call its own house. */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { Mode } from '../base/config.js';
import { Refusal } from '../base/errors.js';

export const LONGEST_URL = 2048;

/** Metadata of clouds, neighbours on the wire, everybody at once: nobody receives messages there. */
const NEVER = blockList([
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['fe80::', 10],
  ['ff00::', 8],
]);

/** This machine and its private networks; where a sandbox's developers have their receivers. */
const PRIVATE = blockList([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['::', 128],
  ['::1', 128],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fec0::', 10],
]);

function blockList(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, network.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}

export function isAllowedAddress(address: string, mode: Mode): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const hidden = family === 6 ? hiddenV4(address) : undefined;
  if (hidden !== undefined) return isAllowedAddress(hidden, mode);
  const type = family === 6 ? 'ipv6' : 'ipv4';
  if (NEVER.check(address, type)) return false;
  return mode === 'sandbox' || !PRIVATE.check(address, type);
}

/** Several kinds of IPv6 addresses only wrap one of IPv4, and lead there: mapped, compatible, NAT64, 6to4. */
function hiddenV4(address: string): string | undefined {
  const words = expand(address);
  const [first, second, third] = words;
  const inside = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const zeros = words.slice(0, 5).every((word) => word === 0);
  const isLocal = words.slice(0, 7).every((word) => word === 0); // `::` and `::1` are their own
  if (zeros && !isLocal && (words[5] === 0xffff || words[5] === 0)) return inside(words[6], words[7]);
  if (first === 0x64 && second === 0xff9b && third === 0) return inside(words[6], words[7]);
  if (first === 0x2002) return inside(second, third);
  return undefined;
}

function expand(address: string): number[] {
  const plain = (address.split('%', 1)[0] ?? '').replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [front = '', back] = plain.split('::');
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [head, tail] = [read(front), back === undefined ? [] : read(back)];
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** What a message is refused with before anything is sent. */
export class ForbiddenAddress extends Error {}

/** Looks a name up and gives only what may be called: checked at the moment of connecting, so no answer comes later. */
export function lookupFor(mode: Mode): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, '', 0);
      const allowed = found.filter(({ address }) => isAllowedAddress(address, mode));
      const [first] = allowed;
      if (!first) return callback(new ForbiddenAddress(`${hostname} lies where no message may be sent`), '', 0);
      if (options.all) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };
}

/** An address given as a number is never looked up, so it is looked at here. */
export function isAllowedHost(hostname: string, mode: Mode): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 || isAllowedAddress(address, mode);
}

/** Refuses an address that no message could be sent to. */
export function requireNotificationUrl(text: string, mode: Mode, field: string): void {
  const refuse = (detail: string): Refusal => new Refusal('INVALID_VALUE', { field, detail });
  if (!URL.canParse(text) || !/^[\x21-\x7e]+$/.test(text) || text.includes('#')) {
    throw refuse(`${field} must be an address such as https://app.example/webhooks, without a fragment.`);
  }
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') throw refuse(`${field} must not hold credentials.`);
  if (protocol !== 'https:' && !(protocol === 'http:' && mode === 'sandbox')) {
    throw refuse(`${field} must begin with https${mode === 'sandbox' ? ' or http' : ''}.`);
  }
  const isLocalName = /(?:^|\.)(?:localhost|local|internal)\.?$/i.test(hostname);
  if (!isAllowedHost(hostname, mode) || (mode === 'production' && isLocalName)) {
    throw refuse(`${field} lies where no message may be sent: it must be reachable from the internet.`);
  }
}
