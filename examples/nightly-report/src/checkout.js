/** Takes a payment for an order exactly once, even with retries and lost responses. */
import { SquareClient, SquareError } from 'square';

/** Buyers do not wait longer. */
const TIMEOUT_SECONDS = 10;

/** The card is the reason for the failure; the message is the decline code. */
export class CardDeclined extends Error {}

/**
 * The order id is the idempotency key: however often this is called for an order, also after a crash, the buyer pays once.
 *
 * @param {{ baseUrl: string, accessToken: string }} connection
 * @param {{ id: string, amount: number, currency: string, sourceId: string }} order
 */
export async function takePayment({ baseUrl, accessToken }, order) {
  const client = new SquareClient({ token: accessToken, baseUrl, timeoutInSeconds: TIMEOUT_SECONDS });
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
