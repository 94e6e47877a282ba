/**
 * Which IP addresses may receive webhooks (decision 0077), based on the IANA registries of special-purpose addresses (RFC 6890).
 */
import { BlockList, isIP } from 'node:net';
import type { Mode } from '../base/config.js';

type Range = readonly [network: string, prefix: number];

/** Metadata services of clouds: they give credentials to the machines that run there. */
const METADATA: readonly Range[] = [
  ['169.254.0.0', 16], // link-local: most metadata services, and the machines of the same network segment
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
  ['fd00:42::42', 128],
];

/** Refused in every mode. */
const NEVER = blockList([
  ...METADATA,
  ['192.88.99.0', 24], // 6to4 relays, which no longer exist
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
  ['64:ff9b:1::', 48], // local-use NAT64: embeds an IPv4 address at a position that only that network knows
  ['100::', 64], // discard-only
  ['100:0:0:1::', 64],
  ['2001::', 32], // Teredo: embeds an IPv4 address
  ['3fff::', 20], // documentation
  ['5f00::', 16], // segment routing
  ['fe80::', 10], // link-local
  ['ff00::', 8], // multicast
]);

/** This machine, private networks and other non-public addresses. A sandbox allows them, because developers run receivers there. */
const PRIVATE = blockList([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112: name servers for private addresses
  ['192.52.193.0', 24], // automatic multicast tunneling
  ['192.168.0.0', 16],
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['2001::', 23], // protocol assignments, benchmarks, ORCHID identifiers
  ['2001:db8::', 32], // documentation
  ['2620:4f:8000::', 48], // AS112
]);

/** All IPv6 addresses that are allocated for the public internet. Loopback, private and unallocated addresses are outside. */
const PUBLIC_V6 = blockList([['2000::', 3]]);

/** Hostnames of metadata services. For all other names the resolved addresses are checked. */
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
  if (family === 0 || address.includes('%')) return false; // an address with a zone id is link-local
  const words = family === 6 ? expand(address) : [];
  const embedded = embeddedV4(words);
  if (embedded !== undefined) return isAllowedAddress(embedded, mode);
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

/** Some IPv6 addresses embed an IPv4 address, to which packets are sent. */
function embeddedV4(words: readonly number[]): string | undefined {
  const [first, second, third] = words;
  const printV4 = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const beginsWith = (...start: number[]): boolean => start.every((word, index) => words[index] === word);
  const isLocal = beginsWith(0, 0, 0, 0, 0, 0, 0) && (words[7] ?? 0) < 2; // `::` and `::1` embed nothing
  const embedsInLastWords =
    beginsWith(0, 0, 0, 0, 0, 0xffff) || // mapped
    beginsWith(0, 0, 0, 0, 0xffff, 0) || // translated
    (beginsWith(0, 0, 0, 0, 0, 0) && !isLocal) || // compatible
    beginsWith(0x64, 0xff9b, 0, 0, 0, 0); // NAT64
  if (embedsInLastWords) return printV4(words[6], words[7]);
  return first === 0x2002 ? printV4(second, third) : undefined; // 6to4
}

/** The eight 16-bit words of an IPv6 address in any notation. */
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
