/** The rules for redirect URLs: an authorization code must not be sent where it can be intercepted (RFC 9700 2.6, RFC 8252 7). */
import { Refusal } from '../../base/errors.js';

export const MAX_REDIRECT_URLS = 10;
export const MAX_REDIRECT_URL_LENGTH = 2048;

export function requireRedirectUrls(urls: readonly string[]): void {
  if (urls.every(isRedirectUrl)) return;
  throw new Refusal('INVALID_VALUE', {
    field: 'redirect_urls',
    detail:
      'A redirect URL must begin with https, with http and a loopback host (localhost, 127.0.0.1), or with a private scheme ' +
      'such as com.example.app. It must have no fragment and no credentials.',
  });
}

export function isRedirectUrl(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#') || !/^[\x21-\x7e]+$/.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '' || text.length > MAX_REDIRECT_URL_LENGTH) return false;
  if (protocol === 'https:') return true;
  if (protocol === 'http:') return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  return /^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:$/.test(protocol); // with a dot: browsers handle no such scheme themselves
}

/** Appends parameters to the URL. Leaves out undefined ones. */
export function withParameters(url: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const defined = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== undefined);
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(defined)}`;
}

/** The origin of the URL, or the scheme of a private one. */
export function originOf(url: string): string {
  const { protocol, origin } = new URL(url);
  return origin === 'null' ? protocol : origin;
}

/** The source for `form-action` of the page's policy. With https an application may redirect the browser to any other host. */
export function policySourceOf(url: string): string {
  return new URL(url).protocol === 'https:' ? 'https:' : originOf(url);
}
