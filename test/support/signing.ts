/** Keys of employees at registers, and what they sign with them, as the pages of a register do it. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  type ApprovalToSign,
  textOfApproval,
  textOfWrite,
  type WriteToSign,
} from '../../src/access/devices/signed-text.js';

export interface SigningKey {
  /** As the register sends it when the employee signs in. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

export function newSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'), privateKey };
}

export interface Signature {
  readonly key: string;
  readonly time: string;
  readonly value: string;
}

function signText({ publicKey, privateKey }: SigningKey, time: string, text: string): Signature {
  const value = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return { key: publicKey, time, value: value.toString('base64') };
}

export function signWrite(key: SigningKey, write: WriteToSign): Signature {
  return signText(key, write.time, textOfWrite(write));
}

export function signApproval(key: SigningKey, approval: ApprovalToSign): Signature {
  return signText(key, approval.time, textOfApproval(approval));
}
