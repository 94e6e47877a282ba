/** Reads the webhook deliveries of a merchant from the sandbox API. */
import type { RunningSandbox } from './running-server.js';

/** One event for one subscription. */
export interface ListedDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly entity_id: string;
  readonly state: string;
  readonly attempt_count: number;
  readonly created_at: string;
  readonly fault?: string;
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
