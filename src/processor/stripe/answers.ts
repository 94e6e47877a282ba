/**
 * Tells answers of Stripe from those of others, such as a gateway on the way. Stripe's package accepts any JSON without an error as the
 * requested object, whatever the status is. A refund that Stripe has made would then count as failed.
 */
import type Stripe from 'stripe';

export class ForeignAnswer extends Error {}

export function onlyAnswersOfStripe(http: Stripe.HttpClient): Stripe.HttpClient {
  return {
    getClientName: () => http.getClientName(),
    async makeRequest(...request) {
      const response = await http.makeRequest(...request);
      const read = response.toJSON.bind(response);
      response.toJSON = async () => {
        const body: unknown = await read();
        if (isOfStripe(body)) return body;
        throw new ForeignAnswer(`the answer with the status ${response.getStatusCode()} is not from Stripe`);
      };
      return response;
    },
  };
}

/** Objects of the API say which they are, and its errors have a type. */
function isOfStripe(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { object, error } = body as { readonly object?: unknown; readonly error?: { readonly type?: unknown } | null };
  return typeof (error === undefined ? object : error?.type) === 'string';
}
