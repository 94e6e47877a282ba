/** Where a code may be sent: nowhere that it could be read on the way (RFC 9700 2.6, RFC 8252 7). */
import { Refusal } from '../../base/errors.js';

export const MAX_REDIRECT_URLS = 10;
export const MAX_REDIRECT_URL_LENGTH = 2048;

export function requireRedirectUrls(urls: readonly string[]): void {
  if (urls.every(isRedirectUrl)) return;
  throw new Refusal('INVALID_VALUE', {
    field: 'redirect_urls',
    detail:
      'A redirect URL begins with https, with http on this very machine (localhost, 127.0.0.1), or with a scheme of ' +
      'your own such as com.example.app, and has no fragment and no credentials.',
  });
}

export function isRedirectUrl(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#') || !/^[\x21-\x7e]+$/.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '' || text.length > MAX_REDIRECT_URL_LENGTH) return false;
  if (protocol === 'https:') return true;
  if (protocol === 'http:') return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  return /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/.test(protocol); // no scheme that browsers act upon has a dot
}

/** The URL with more parameters behind those that it has. */
export function withParameters(url: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const said = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== undefined);
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(said)}`;
}

/** Whom a person is sent to, in short. */
export function originOf(url: string): string {
  const { protocol, origin } = new URL(url);
  return origin === 'null' ? protocol : origin;
}

/** What a page's policy says of it. Over TLS an application may send its visitor on to wherever it likes. */
export function policySourceOf(url: string): string {
  return new URL(url).protocol === 'https:' ? 'https:' : originOf(url);
}
