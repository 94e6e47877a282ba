/** Keeps which orders are paid, from what webhooks tell: each may come twice, late, and after newer ones. */
import { WebhooksHelper } from 'square';

export class ForgedWebhook extends Error {}

/** @param {{ signatureKey: string, notificationUrl: string }} subscription */
export function createPaidOrders({ signatureKey, notificationUrl }) {
  const payments = new Map(); // by their id, as they stood when last heard of

  return {
    /** @param {{ body: string, headers: Record<string, string> }} webhook the body as it came, byte for byte */
    async receive({ body, headers }) {
      const signatureHeader = headers['x-square-hmacsha256-signature'] ?? '';
      const signed = { requestBody: body, signatureHeader, signatureKey, notificationUrl };
      if (!(await WebhooksHelper.verifySignature(signed))) throw new ForgedWebhook();
      const { payment } = JSON.parse(body).data.object;
      const known = payments.get(payment.id);
      if (known && known.updated_at >= payment.updated_at) return; // heard already, or overtaken by something newer
      payments.set(payment.id, payment);
    },

    /** The orders that are paid, as the checkout named them. */
    list() {
      const paid = [...payments.values()].filter(({ status }) => status === 'COMPLETED');
      return paid.map(({ reference_id }) => reference_id).sort();
    },
  };
}
