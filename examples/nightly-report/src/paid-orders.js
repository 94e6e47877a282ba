/** Records from webhooks which orders are paid. A webhook can arrive twice, late, and after a newer one. */
import { WebhooksHelper } from 'square';

export class ForgedWebhook extends Error {}

/** @param {{ signatureKey: string, notificationUrl: string }} subscription */
export function createPaidOrders({ signatureKey, notificationUrl }) {
  const payments = new Map(); // by id, in the newest known state

  return {
    /** @param {{ body: string, headers: Record<string, string> }} webhook with the exact body, which the signature covers */
    async receive({ body, headers }) {
      const signatureHeader = headers['x-square-hmacsha256-signature'] ?? '';
      const signed = { requestBody: body, signatureHeader, signatureKey, notificationUrl };
      if (!(await WebhooksHelper.verifySignature(signed))) throw new ForgedWebhook();
      const { payment } = JSON.parse(body).data.object;
      const known = payments.get(payment.id);
      if (known && known.updated_at >= payment.updated_at) return; // a duplicate, or older than the known state
      payments.set(payment.id, payment);
    },

    /** The ids of the paid orders. */
    list() {
      const paid = [...payments.values()].filter(({ status }) => status === 'COMPLETED');
      return paid.map(({ reference_id }) => reference_id).sort();
    },
  };
}
