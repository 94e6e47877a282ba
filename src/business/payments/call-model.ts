/** Calls to the processor whose outcome is unknown (decision 0031). */
import type { AuthorizeRequest } from '../../processor/contract.js';

export type CallAction = 'CREATE' | 'COMPLETE' | 'CANCEL';

/** What a retry of a CREATE call sends again. */
export type StoredRequest = Pick<AuthorizeRequest, 'key' | 'sourceId' | 'amount' | 'acceptPartial'> & {
  readonly verificationToken?: string;
  readonly autocomplete: boolean;
  /** The key that the caller sent. It is released if no payment is created. */
  readonly callerKey?: { readonly applicationId: string; readonly operation: 'createPayment'; readonly key: string };
};

export interface Call {
  readonly paymentId: string;
  readonly action: CallAction;
  readonly request: StoredRequest | null;
  /** Whether the payment was canceled by its idempotency key before the outcome was known (decision 0028). */
  readonly cancelAfter: boolean;
}
