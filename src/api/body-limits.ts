/** How large and how deep a request body may be (decision 0216). */
import type { Operation } from './operation.js';

const KIB = 1024;

/** Where nobody is known. A publishable key is public, and an application at `/oauth2` sends a few short texts. */
export const OPEN_BODY_BYTES = 16 * KIB;
/** Where the caller is known. */
const KNOWN_BODY_BYTES = 256 * KIB;
/** For the few operations that declare it, and for nothing else. */
export const LARGEST_BODY_BYTES = 1024 * KIB;
/** A file of a merchant, which only the operator of a sandbox sends. */
export const MERCHANT_FILE_BYTES = 16 * 1024 * KIB;
/** Three times as deep as the deepest body that an operation takes. */
export const MAX_BODY_DEPTH = 32;

export function bodyLimitOf({ maxBodyBytes, permission, surface }: Operation): number {
  if (maxBodyBytes !== undefined) return maxBodyBytes;
  return isOpen({ permission, surface }) || surface === 'oauth2' ? OPEN_BODY_BYTES : KNOWN_BODY_BYTES;
}

/** Whether anybody may send requests, because no secret is needed. */
export function isOpen({ permission, surface }: Pick<Operation, 'permission' | 'surface'>): boolean {
  return permission === 'ANYONE' || surface === 'checkout';
}

const [QUOTE, BACKSLASH] = ['"', '\\'].map((character) => character.charCodeAt(0));
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = ['[', '{', ']', '}'].map((each) => each.charCodeAt(0));

/**
 * Whether JSON is nested more deeply than allowed. Counts brackets outside of texts, and stops at the first one too many. Parsing a
 * megabyte of open brackets takes a thousand times as long. Bytes of characters beyond ASCII are never brackets or quotes in UTF-8.
 */
export function isTooDeep(json: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfText(json, at);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > MAX_BODY_DEPTH) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

/** The index of the quote that ends the text that begins at `start`; the length of the JSON if there is none. */
function endOfText(json: Buffer, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end;
    while (json[before - 1] === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return json.length;
}
