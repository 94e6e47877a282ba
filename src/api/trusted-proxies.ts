/** Which proxies the server believes (`--trust-proxy`): the address of the client, and the id of the request. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { TrustedProxies } from '../base/config.js';
import { REQUEST_ID_HEADER } from './safety.js';

/** `hop` counts the proxies from the nearest one, which is 0. */
export type Trust = (address: string, hop: number) => boolean;

export function toTrust(trusted: TrustedProxies): Trust {
  if ('hops' in trusted) return (_address, hop) => hop < trusted.hops;
  const list = new BlockList();
  for (const each of trusted.addresses) {
    const [address = '', length] = each.split('/');
    if (length === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(length), familyOf(address));
  }
  return (text) => {
    const [address = ''] = text.split('%', 1); // removes the zone id
    return isIP(address) !== 0 && list.check(address, familyOf(address)); // knows IPv4 addresses inside IPv6 too
  };
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** What a proxy may send: enough for a UUID, the ids of traces and those of common proxies, and nothing that a log would have to escape. */
const GIVEN_ID = /^[\w.:+/=@-]{8,128}$/;

/** The id of a request: the one that a trusted proxy has given it, so that the logs of both can be compared; otherwise a new one. */
export function createRequestIds(trust: Trust | undefined): (request: IncomingMessage) => string {
  if (!trust) return () => randomUUID();
  return ({ headers, socket }) => {
    const given = headers[REQUEST_ID_HEADER];
    const isTaken = typeof given === 'string' && GIVEN_ID.test(given) && trust(socket.remoteAddress ?? '', 0);
    return isTaken ? given : randomUUID();
  };
}
