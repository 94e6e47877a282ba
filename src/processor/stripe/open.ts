/** Opens Stripe, if its package is installed. */
import { type StripeAccess, UsageError } from '../../base/config.js';
import type { Database } from '../../database/database.js';
import type { Processor, ProcessorBooks, ProcessorEventSource, Trouble } from '../contract.js';
import { createStripeBooks } from './books.js';
import type { StripeLimits } from './client.js';

export interface OpenStripe {
  readonly processor: Processor;
  readonly events: ProcessorEventSource | undefined;
  close(): void;
}

export async function openStripeProcessor(
  access: StripeAccess,
  {
    database,
    onTrouble,
    limits,
  }: {
    readonly database: Database;
    readonly onTrouble: (trouble: Trouble) => void;
    readonly limits: Partial<StripeLimits> | undefined;
  },
): Promise<OpenStripe> {
  const client = (await loadClient()).openStripe(access, limits);
  const [{ createStripeProcessor }, { createStripeEvents }] = await Promise.all([
    import('./processor.js'),
    import('./events.js'),
  ]);
  const { webhookSecret: secret } = access;
  return {
    processor: createStripeProcessor({ database, client, onTrouble }),
    events: secret === undefined ? undefined : createStripeEvents({ client, database, secret }),
    close: () => client.close(),
  };
}

/** For `tillhouse reconcile`. */
export async function openStripeBooks(access: StripeAccess, database: Pick<Database, 'sql'>): Promise<ProcessorBooks> {
  return createStripeBooks((await loadClient()).openStripe(access), database);
}

async function loadClient(): Promise<typeof import('./client.js')> {
  try {
    return await import('./client.js');
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      '--processor stripe needs one more package. Install it beside tillhouse: ' +
        'npm install stripe (with --global if tillhouse was installed so).',
    );
  }
}
