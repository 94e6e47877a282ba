/** The metadata of our payment intents and refunds at Stripe, which says what they belong to here. */
import type { CallRequest } from '../contract.js';

export interface OwnMetadata {
  readonly merchantId: string | undefined;
  readonly paymentId: string | undefined;
  readonly key: string | undefined;
}

export function toMetadata({ key, merchant, paymentId }: CallRequest): Record<string, string> {
  return { tillhouse_merchant: merchant.id, tillhouse_payment: paymentId, tillhouse_key: key };
}

/** Objects of other programs of the account have none of it. */
export function fromMetadata(metadata: Readonly<Record<string, string>> | null | undefined): OwnMetadata {
  return {
    merchantId: metadata?.['tillhouse_merchant'],
    paymentId: metadata?.['tillhouse_payment'],
    key: metadata?.['tillhouse_key'],
  };
}
