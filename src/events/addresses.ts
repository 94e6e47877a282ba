/** Decides where messages may go (decision 0077): a server must not be made to call its own house. */
import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Mode, Reach } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { isAllowedAddress, isMetadataName } from './address-ranges.js';

export const MAX_URL_LENGTH = 2048;

/** What a message is refused with before anything is sent. */
export class ForbiddenAddress extends Error {}

/** As `node:dns` has it. */
type Resolve = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/**
 * Looks a name up and gives only what may be called. It is asked at the moment of connecting, and what it gives is connected to
 * without asking again: a name that leads elsewhere a moment later wins nothing by it.
 */
export function lookupFor(mode: Mode, resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const allowed = found.filter(({ address }) => isAllowedAddress(address, mode));
      const [first] = allowed;
      if (!first) return callback(new ForbiddenAddress(`${hostname} lies where no message may be sent`), '', 0);
      if (options.all) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };
}

/** Why no message may be sent there; undefined where it may. An address given as a number is never looked up, so it is checked here. */
export function refusalOf({ protocol, hostname, port: given }: URL, { mode, webhookPorts }: Reach): string | undefined {
  const port = given === '' ? (protocol === 'https:' ? 443 : 80) : Number(given);
  if (webhookPorts && !webhookPorts.includes(port)) {
    return `port ${port} is not one of those that messages may be sent to: ${webhookPorts.join(', ')}`;
  }
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  const isAllowed = isIP(address) === 0 ? !isMetadataName(hostname) : isAllowedAddress(address, mode);
  return isAllowed ? undefined : `${hostname} lies where no message may be sent`;
}

/** Refuses an address that no message could be sent to. */
export function requireNotificationUrl(text: string, reach: Reach, field: string): void {
  const { mode } = reach;
  const refuse = (detail: string): Refusal => new Refusal('INVALID_VALUE', { field, detail });
  if (!URL.canParse(text) || !/^[\x21-\x7e]+$/.test(text) || text.includes('#')) {
    throw refuse(`${field} must be an address such as https://app.example/webhooks, without a fragment.`);
  }
  const url = new URL(text);
  const { protocol, hostname, username, password } = url;
  if (username !== '' || password !== '') throw refuse(`${field} must not hold credentials.`);
  if (protocol !== 'https:' && !(protocol === 'http:' && mode === 'sandbox')) {
    throw refuse(`${field} must begin with https${mode === 'sandbox' ? ' or http' : ''}.`);
  }
  const refusal = refusalOf(url, reach);
  if (refusal !== undefined) throw refuse(`${field} cannot be used: ${refusal}.`);
  if (mode === 'production' && /(?:^|\.)(?:localhost|local|internal)\.?$/i.test(hostname)) {
    throw refuse(`${field} must be reachable from the internet, and ${hostname} is a name within a network.`);
  }
}
