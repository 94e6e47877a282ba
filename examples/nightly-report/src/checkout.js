/** Takes a payment for an order, once, whatever happens on the way. */
import { SquareClient, SquareError } from 'square';

/** No buyer looks at a spinning wheel for longer. */
const PATIENCE_SECONDS = 10;

/** What the buyer is told when the card is the reason. */
export class CardDeclined extends Error {}

/**
 * The order's own id is the idempotency key: however often this is called for it, in this process or after a crash, the
 * buyer pays once.
 *
 * @param {{ baseUrl: string, accessToken: string }} connection
 * @param {{ id: string, amount: number, currency: string, sourceId: string }} order
 */
export async function takePayment({ baseUrl, accessToken }, order) {
  const client = new SquareClient({ token: accessToken, baseUrl, timeoutInSeconds: PATIENCE_SECONDS });
  try {
    const { payment } = await client.payments.create({
      idempotencyKey: order.id,
      referenceId: order.id,
      sourceId: order.sourceId,
      amountMoney: { amount: BigInt(order.amount), currency: order.currency },
    });
    return { paymentId: payment.id, status: payment.status };
  } catch (error) {
    const [reason] = error instanceof SquareError ? (error.errors ?? []) : [];
    if (reason?.category === 'PAYMENT_METHOD_ERROR') throw new CardDeclined(reason.code);
    throw error;
  }
}
