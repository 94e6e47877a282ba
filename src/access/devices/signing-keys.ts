/** Keys with which employees sign what a register keeps while it is offline (decision 0206). */
import { createPublicKey, verify } from 'node:crypto';
import { Refusal } from '../../base/errors.js';
import { type Instant, parseTime } from '../../base/time.js';
import { wasNotLongBefore } from './sign-in-times.js';
import type { Signature } from './signed-text.js';
import type { SigningKey } from './signing-key-queries.js';

const CURVE = 'prime256v1';

/** Returns the key in its only spelling. Throws a refusal if it is not the public key of a pair for ECDSA with P-256. */
export function parseSigningKey(text: string, field: string): string {
  const der = Buffer.from(text, 'base64');
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    if (key.asymmetricKeyDetails?.namedCurve === CURVE) {
      return key.export({ format: 'der', type: 'spki' }).toString('base64');
    }
  } catch {
    // refused below
  }
  throw new Refusal('INVALID_VALUE', { field, detail: `${field} must be a public key of P-256: SPKI in base64.` });
}

/** Whether the employee signed the text at that time, with one of these keys, which was made in the seven days before. */
export function wasSigned(
  { key, time, value }: Signature,
  signed: {
    readonly keys: readonly SigningKey[];
    readonly employeeId: string;
    readonly text: string;
    readonly now: Instant;
  },
): boolean {
  const at = parseTime(time);
  const found = signed.keys.find((each) => each.employeeId === signed.employeeId && each.publicKey === key);
  if (!found || at === undefined || !wasNotLongBefore(found, signed.now - at)) return false;
  return isSignedBy(found.publicKey, signed.text, value);
}

/** `signature` is in base64: 64 bytes, as browsers make it (ECDSA with SHA-256). `publicKey` is one that `parseSigningKey` returned. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64'));
}
