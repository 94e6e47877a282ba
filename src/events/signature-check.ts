/** Finds out how a receiver computed a signature that does not match: with another address, body, key, algorithm or encoding. */
import { createHmac } from 'node:crypto';

export interface SignedMessage {
  readonly url: string;
  readonly key: string;
  readonly body: string;
}

export interface CheckedSignature {
  readonly matches: boolean;
  readonly finding: string;
  readonly sha1: string;
  readonly sha256: string;
}

interface Variant<Value> {
  readonly value: Value;
  /** Undefined: as it should be. */
  readonly mistake?: string;
}

type Algorithm = 'sha256' | 'sha1';

export function checkSignature(
  given: string,
  message: SignedMessage,
  otherKeys: readonly { readonly name: string; readonly signatureKey: string }[] = [],
): CheckedSignature {
  const [sha1, sha256] = (['sha1', 'sha256'] as const).map((algorithm) =>
    digest(algorithm, message.key, message.url + message.body).toString('base64'),
  ) as [string, string];
  const mistakes = findMistakes(given.trim(), message, otherKeys);
  if (mistakes === undefined) return { matches: false, finding: NOTHING_FOUND, sha1, sha256 };
  if (mistakes.length > 0) return { matches: false, finding: mistakes.join(' '), sha1, sha256 };
  const header = given.trim() === sha1 ? 'X-Square-Signature (SHA-1)' : 'X-Square-HmacSha256-Signature (SHA-256)';
  return { matches: true, finding: `It is the right signature. Compare it with the header ${header}.`, sha1, sha256 };
}

const NOTHING_FOUND =
  'It was computed from something else. The signature is an HMAC with the signature key over the notification URL followed by the exact bytes of the body, in Base64.';

/** Undefined if no combination matches. Combinations with fewer mistakes come first. */
function findMistakes(
  given: string,
  message: SignedMessage,
  otherKeys: readonly { readonly name: string; readonly signatureKey: string }[],
): readonly string[] | undefined {
  const keys: Variant<string>[] = [
    { value: message.key },
    ...otherKeys.map(({ name, signatureKey }) => ({
      value: signatureKey,
      mistake: `The key is that of another subscription (${name}). Each subscription has its own.`,
    })),
    { value: '', mistake: 'The key is empty. Is the variable with the signature key set?' },
  ];
  const combinations = keys.flatMap((key) =>
    urlsOf(message.url).flatMap((url) =>
      bodiesOf(message.body).map((body) => ({
        parts: [key.mistake, url.mistake, body.mistake].filter((mistake) => mistake !== undefined),
        key: key.value,
        signed: url.value + body.value,
      })),
    ),
  );
  for (const { parts, key, signed } of combinations.toSorted((one, other) => one.parts.length - other.parts.length)) {
    for (const algorithm of ['sha256', 'sha1'] as const) {
      const encoding = encodingOf(given, digest(algorithm, key, signed));
      if (encoding !== undefined) return [...parts, ...encoding];
    }
  }
  return undefined;
}

function digest(algorithm: Algorithm, key: string, signed: string): Buffer {
  return createHmac(algorithm, key).update(signed).digest();
}

function encodingOf(given: string, computed: Buffer): readonly string[] | undefined {
  if (given === computed.toString('base64')) return [];
  if (given.toLowerCase() === computed.toString('hex'))
    return ['It is in hexadecimal digits. The header is in Base64.'];
  if (given.replace(/=+$/, '') === computed.toString('base64url') || `${given}=` === computed.toString('base64')) {
    return ['It is in another form of Base64. The header has the usual alphabet (+ and /) and ends with =.'];
  }
  return undefined;
}

function urlsOf(url: string): readonly Variant<string>[] {
  const { origin, pathname, search } = new URL(url);
  const swapped = url.startsWith('https:') ? url.replace('https:', 'http:') : url.replace('http:', 'https:');
  const toggled = search === '' ? (url.endsWith('/') ? url.slice(0, -1) : `${url}/`) : origin + pathname;
  return [
    { value: url },
    { value: '', mistake: `Only the body is signed. Put the notification URL in front of it: ${url}` },
    { value: toggled, mistake: `The URL is ${toggled}, but the subscription has ${url}.` },
    {
      value: swapped,
      mistake: `The URL is ${swapped}, but the subscription has ${url}. Behind a proxy, use the outer address.`,
    },
    { value: pathname + search, mistake: `The URL is only its path. Sign all of it: ${url}` },
  ];
}

function bodiesOf(body: string): readonly Variant<string>[] {
  const parsed = JSON.parse(body);
  const variants = [JSON.stringify(parsed), JSON.stringify(parsed, null, 2), withSpaces(body), `${body}\n`];
  return [
    { value: body },
    ...variants
      .filter((value) => value !== body)
      .map((value) => ({
        value,
        mistake: 'The body was parsed and printed again. Sign the bytes as they were received, before parsing.',
      })),
    { value: '', mistake: 'The body is missing: it was empty when the signature was computed.' },
  ];
}

/** The body with spaces, as Python prints JSON. */
function withSpaces(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 1)
    .replaceAll(/\n */g, ' ')
    .replaceAll(/([{[]) | ([}\]])/g, '$1$2');
}
