/** Reads the webhook deliveries of a merchant from the sandbox API. */
import type { RunningSandbox } from './running-server.js';

/** One event for one subscription. */
export interface ListedDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly entity_id: string;
  readonly subscription_id: string;
  readonly state: string;
  readonly attempt_count: number;
  readonly created_at: string;
  readonly fault?: string;
  readonly body: string;
}

export interface ListedAttempt {
  readonly number: number;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly status_code?: number;
  readonly failure?: string;
  readonly answer: string;
}

export interface DeliveryFilter {
  readonly limit?: string;
  readonly state?: string;
}

/** Newest first. */
export async function fetchDeliveries(
  sandbox: RunningSandbox,
  merchantId: string,
  { limit = '200', state = '' }: DeliveryFilter = {},
): Promise<readonly ListedDelivery[]> {
  const query = new URLSearchParams({ limit, ...(state !== '' && { state }) });
  const path = `merchants/${encodeURIComponent(merchantId)}/webhook-deliveries?${query}`;
  return (await sandbox.call<{ deliveries: readonly ListedDelivery[] }>('GET', path)).deliveries;
}

/** One delivery with every attempt. */
export function fetchDelivery(
  sandbox: RunningSandbox,
  merchantId: string,
  deliveryId: string,
): Promise<{ readonly delivery: ListedDelivery; readonly attempts: readonly ListedAttempt[] }> {
  const path = `merchants/${encodeURIComponent(merchantId)}/webhook-deliveries/${encodeURIComponent(deliveryId)}`;
  return sandbox.call('GET', path);
}
