/** Refunds payments. A repeated call for the same request refunds nothing again. */
const { SquareClient, SquareError } = require('square');

class RefundRefused extends Error {}

/** Returns the id of the refund. `requestId` names the wish of the buyer, however often it is sent. */
async function refundPayment({ baseUrl, accessToken }, { paymentId, requestId, amount, currency }) {
  const client = new SquareClient({ token: accessToken, baseUrl });
  try {
    const { refund } = await client.refunds.refundPayment({
      idempotencyKey: requestId,
      paymentId,
      amountMoney: { amount: BigInt(amount), currency },
    });
    return refund.id;
  } catch (error) {
    if (error instanceof SquareError && error.statusCode === 400) throw new RefundRefused(error.errors[0].detail);
    throw error;
  }
}

module.exports = { RefundRefused, refundPayment };
