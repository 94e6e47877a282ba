/** Whether it is known what became of a card (decision 0237). */
import { call, register } from '../core/call.js';
import { isOnline } from '../core/connection.js';
import { device, offlineRules } from '../core/device.js';
import { isCard } from '../core/queue.js';
import type { TenderInput } from '../core/sale-body.js';
import type { WireSale } from '../core/wire.js';

/**
 * True for a card that is sent now: without a response it may have been declined (decision 0237). Only a card that the merchant lets
 * registers keep, and that was read without a network, waits in the queue.
 */
export function mustKnowOutcome(tender: TenderInput): boolean {
  const paired = device.get();
  return isCard(tender) && (isOnline.get() || !paired || !offlineRules(paired).cards_allowed);
}

/** The server has recorded the card, and has no response of the processor. */
export function isUndecided({ tenders }: WireSale): boolean {
  return tenders.at(-1)?.status === 'PENDING';
}

export function withoutSource({ sourceId: _, ...tender }: TenderInput): TenderInput {
  return tender;
}

/** The sale with the outcome of its card. Undefined while the server does not know it, or does not respond. */
export async function findDecided(accepted: WireSale): Promise<WireSale | undefined> {
  if (!isUndecided(accepted)) return accepted;
  const { sale } = await call(register.showSale, { sale_id: accepted.id }).catch(() => ({ sale: accepted }));
  return isUndecided(sale) ? undefined : sale;
}
