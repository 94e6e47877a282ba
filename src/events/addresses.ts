/** Decides which URLs may receive webhooks (decision 0077), so that nobody can make the server call its own network (SSRF). */
import { type LookupAddress, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Mode, Reach } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { isAllowedAddress, isMetadataName } from './address-ranges.js';

export const MAX_URL_LENGTH = 2048;

/** The URL or one of its addresses is not allowed. Nothing was sent. */
export class ForbiddenAddress extends Error {}

/** The signature of `lookup` in `node:dns`. */
type Resolve = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/**
 * Resolves a name and returns only allowed addresses. Node.js calls it for each connection and connects to exactly these addresses,
 * so a name that resolves to another address a moment later cannot bypass the check (DNS rebinding).
 */
export function lookupFor(mode: Mode, resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const allowed = found.filter(({ address }) => isAllowedAddress(address, mode));
      const [first] = allowed;
      if (!first) return callback(new ForbiddenAddress(notAllowed(hostname)), '', 0);
      if (options.all) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };
}

/** Why the URL may not receive webhooks; undefined if it may. IP addresses are checked here, because they are never resolved. */
export function refusalOf(
  { protocol, hostname, port: explicitPort }: URL,
  { mode, webhookPorts }: Reach,
): string | undefined {
  const port = explicitPort === '' ? (protocol === 'https:' ? 443 : 80) : Number(explicitPort);
  if (webhookPorts && !webhookPorts.includes(port)) {
    return `port ${port} is not one of the ports allowed for webhooks: ${webhookPorts.join(', ')}`;
  }
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  const isAllowed = isIP(address) === 0 ? !isMetadataName(hostname) : isAllowedAddress(address, mode);
  return isAllowed ? undefined : notAllowed(hostname);
}

function notAllowed(hostname: string): string {
  return `${hostname} is not an allowed address for webhooks`;
}

/** Refuses a URL to which no webhook could be sent. */
export function requireNotificationUrl(text: string, reach: Reach, field: string): void {
  const { mode } = reach;
  const refuse = (detail: string): Refusal => new Refusal('INVALID_VALUE', { field, detail });
  if (!URL.canParse(text) || !/^[\x21-\x7e]+$/.test(text) || text.includes('#')) {
    throw refuse(`${field} must be a URL such as https://app.example/webhooks, without a fragment.`);
  }
  const url = new URL(text);
  const { protocol, hostname, username, password } = url;
  if (username !== '' || password !== '') throw refuse(`${field} must not contain credentials.`);
  if (protocol !== 'https:' && !(protocol === 'http:' && mode === 'sandbox')) {
    throw refuse(`${field} must begin with https${mode === 'sandbox' ? ' or http' : ''}.`);
  }
  const refusal = refusalOf(url, reach);
  if (refusal !== undefined) throw refuse(`${field} cannot be used: ${refusal}.`);
  if (mode === 'production' && /(?:^|\.)(?:localhost|local|internal)\.?$/i.test(hostname)) {
    throw refuse(`${field} must be reachable from the internet, but ${hostname} is a name of a local network.`);
  }
}
