/** What this server writes on its payment intents and refunds at Stripe, to find ours again. */
import type { CallRequest } from '../contract.js';

export interface Marks {
  readonly merchantId: string | undefined;
  readonly paymentId: string | undefined;
  readonly key: string | undefined;
}

export function toMetadata({ key, merchant, paymentId }: CallRequest): Record<string, string> {
  return { tillhouse_merchant: merchant.id, tillhouse_payment: paymentId, tillhouse_key: key };
}

/** Others of the same account have none. */
export function readMetadata(metadata: Readonly<Record<string, string>> | null | undefined): Marks {
  return {
    merchantId: metadata?.['tillhouse_merchant'],
    paymentId: metadata?.['tillhouse_payment'],
    key: metadata?.['tillhouse_key'],
  };
}
