/**
 * Which addresses of the internet protocol may receive messages (decision 0077), by the registries of special-purpose addresses
 * that RFC 6890 began.
 */
import { BlockList, isIP } from 'node:net';
import type { Mode } from '../base/config.js';

type Range = readonly [network: string, prefix: number];

/** Where clouds keep secrets for the machines that run there. */
const METADATA: readonly Range[] = [
  ['169.254.0.0', 16], // link-local: nearly all of them, and whatever is on the same wire
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
  ['fd00:42::42', 128],
];

/** Nobody receives messages there, whoever asks. */
const NEVER = blockList([
  ...METADATA,
  ['192.88.99.0', 24], // relays of 6to4, which are gone
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and everybody on the wire
  ['64:ff9b:1::', 48], // translation within a network: hides an IPv4 address at a place that only that network knows
  ['100::', 64], // discarded
  ['100:0:0:1::', 64],
  ['2001::', 32], // Teredo: hides an IPv4 address
  ['3fff::', 20], // documentation
  ['5f00::', 16], // segment routing
  ['fe80::', 10], // link-local
  ['ff00::', 8], // multicast
]);

/** This machine, its private networks, and what is no place on the internet. A sandbox's developers have receivers there. */
const PRIVATE = blockList([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // shared by customers of a provider
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // protocols
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // name servers for private addresses
  ['192.52.193.0', 24], // multicast relays
  ['192.168.0.0', 16],
  ['192.175.48.0', 24], // name servers for private addresses
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['2001::', 23], // protocols, benchmarks, identifiers
  ['2001:db8::', 32], // documentation
  ['2620:4f:8000::', 48], // name servers for private addresses
]);

/** All that was given out of IPv6 to the public internet; loopback, private networks and what is unknown lie outside. */
const PUBLIC_V6 = blockList([['2000::', 3]]);

/** Names that lead to metadata where they lead anywhere. What any other name leads to is checked when it is looked up. */
const METADATA_NAMES = new Set([
  'api.metadata.cloud.ibm.com',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.azure.internal',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
]);

export function isMetadataName(hostname: string): boolean {
  return METADATA_NAMES.has(hostname.toLowerCase().replace(/\.$/, ''));
}

export function isAllowedAddress(address: string, mode: Mode): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false; // with the name of a network card it is link-local
  const words = family === 6 ? expand(address) : [];
  const hidden = hiddenV4(words);
  if (hidden !== undefined) return isAllowedAddress(hidden, mode);
  const type = family === 6 ? 'ipv6' : 'ipv4';
  if (NEVER.check(address, type)) return false;
  if (mode === 'sandbox') return true;
  return !PRIVATE.check(address, type) && (family === 4 || PUBLIC_V6.check(address, type));
}

function blockList(ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, network.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}

/** Several kinds of IPv6 addresses only wrap one of IPv4, and lead there. */
function hiddenV4(words: readonly number[]): string | undefined {
  const [first, second, third] = words;
  const inside = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const beginsWith = (...start: number[]): boolean => start.every((word, index) => words[index] === word);
  const isLocal = beginsWith(0, 0, 0, 0, 0, 0, 0) && (words[7] ?? 0) < 2; // `::` and `::1` are their own
  const wraps =
    beginsWith(0, 0, 0, 0, 0, 0xffff) || // mapped
    beginsWith(0, 0, 0, 0, 0xffff, 0) || // translated
    (beginsWith(0, 0, 0, 0, 0, 0) && !isLocal) || // compatible
    beginsWith(0x64, 0xff9b, 0, 0, 0, 0); // NAT64
  if (wraps) return inside(words[6], words[7]);
  return first === 0x2002 ? inside(second, third) : undefined; // 6to4
}

/** The eight words of an address of IPv6, in whichever of its notations it is written. */
function expand(address: string): number[] {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [front = '', back] = plain.split('::');
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [head, tail] = [read(front), back === undefined ? [] : read(back)];
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}
