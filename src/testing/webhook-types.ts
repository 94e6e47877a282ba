/** The types of webhooks that the kit can receive. */
export const V2_WEBHOOK_TYPES = [
  ...(['payment.created', 'payment.updated', 'refund.created', 'refund.updated'] as const),
  'oauth.authorization.revoked',
] as const;
export const V1_WEBHOOK_TYPES = ['PAYMENT_UPDATED', 'TIMECARD_UPDATED'] as const;

export type V2WebhookType = (typeof V2_WEBHOOK_TYPES)[number];
export type V1WebhookType = (typeof V1_WEBHOOK_TYPES)[number];
export type WebhookType = V2WebhookType | V1WebhookType;

export const WEBHOOK_TYPES: readonly WebhookType[] = [...V2_WEBHOOK_TYPES, ...V1_WEBHOOK_TYPES];
