/** Signs webhook messages, so that a receiver can verify the sender (contract 24): an HMAC over the URL and the body. */
import { createHmac } from 'node:crypto';
import type { Mode } from '../base/config.js';
import { newSecret } from '../base/ids.js';
import { JSON_TYPE } from '../base/json.js';
import { type Instant, printMilliseconds } from '../base/time.js';
import type { DeliveryFailure } from './model.js';

const KEY_LENGTH = 22;

export function newSignatureKey(): string {
  return newSecret('', KEY_LENGTH);
}

function sign(algorithm: 'sha1' | 'sha256', key: string, signed: string): string {
  return createHmac(algorithm, key).update(signed).digest('base64');
}

/** One message to one receiver. */
export interface Message {
  readonly url: string;
  readonly signatureKey: string;
  readonly body: string;
  /** The time of the first attempt; the same in every retry. */
  readonly firstTriedAt: Instant;
  /** The number of the retry; 0 for the first attempt. */
  readonly retry: number;
  readonly retryReason: DeliveryFailure | null;
  /** The injected fault; null: none. */
  readonly fault: string | null;
  /** Headers that belong to a trace. */
  readonly traced?: Record<string, string>;
}

/** Contains both signatures, because older clients verify SHA-1 and newer ones SHA-256. */
export function headersOf(message: Message, mode: Mode): Record<string, string> {
  const { url, signatureKey, body, firstTriedAt, retry, retryReason, fault, traced } = message;
  const signed = url + body;
  return {
    ...traced,
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    Accept: '*/*',
    'User-Agent': 'Square Webhooks (Tillhouse)',
    'X-Square-Signature': sign('sha1', signatureKey, signed),
    'X-Square-HmacSha256-Signature': sign('sha256', signatureKey, signed),
    'Square-Environment': mode === 'production' ? 'Production' : 'Sandbox',
    'Square-Initial-Delivery-Timestamp': printMilliseconds(firstTriedAt),
    ...(retry > 0 && { 'Square-Retry-Number': String(retry), 'Square-Retry-Reason': retryReason ?? 'other_error' }),
    ...(fault !== null && { 'Tillhouse-Fault': fault }),
  };
}
