/** `tillhouse reconcile` with the books of a double of Stripe. */
import { expect } from 'vitest';
import { runHere } from './commands.js';
import type { Result } from './process.js';
import type { TestServer } from './server.js';
import { STRIPE_KEY, type StripeServer } from './stripe-server.js';

const today = () => new Date().toISOString().slice(0, 10);

export function reconcile(
  { databaseUrl }: TestServer,
  { url }: Pick<StripeServer, 'url'>,
  key = STRIPE_KEY,
): Promise<Result> {
  const args = ['reconcile', '--database-url', databaseUrl, '--processor', 'stripe', '--date', today()];
  return runHere([...args, '-o', 'json'], { env: { STRIPE_SECRET_KEY: key, TILLHOUSE_STRIPE_URL: url } });
}

/** What differs between both books, and how many records were compared. */
export async function findDifferences(server: TestServer, stripe: Pick<StripeServer, 'url'>) {
  const { code, stdout, stderr } = await reconcile(server, stripe);
  expect(stderr).toBe('');
  const found = JSON.parse(stdout);
  expect(code).toBe(found.differences.length > 0 ? 1 : 0);
  return found;
}
