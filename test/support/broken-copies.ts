/** Stored copies of payments that do not say what their payment says. */
import { printCopy } from '../../src/business/payments/copies.js';
import { findPayment } from '../../src/business/payments/queries.js';
import type { Sql } from '../../src/database/database.js';
import { ensureDefined } from './people.js';

interface ValidCopies {
  readonly completed: string;
}

/** The copy that the payment should have. */
async function printedCopy(sql: Sql, paymentId: string): Promise<string> {
  const [row] = await sql<{ merchantId: string }[]>`select merchant_id from payments where payment_id = ${paymentId}`;
  const payment = await findPayment(sql, ensureDefined(row).merchantId, paymentId);
  return ensureDefined(printCopy(ensureDefined(payment)) ?? undefined);
}

export const COPY_BREAKS = {
  'a stored copy of the v2 JSON of a payment has the values of the payment': [
    {
      how: 'the copy is of another state',
      violatingRow: ({ completed }: ValidCopies) => completed,
      by: async (sql: Sql, { completed }: ValidCopies) => sql`
        update payments
        set v2_json = ${await printedCopy(sql, completed)}, v2_json_version = 2, updated_at = updated_at + interval '1 second'
        where payment_id = ${completed}`,
    },
    {
      how: 'the copy is missing',
      violatingRow: ({ completed }: ValidCopies) => completed,
      by: (sql: Sql, { completed }: ValidCopies) => sql`
        update payments set v2_json_version = 2 where payment_id = ${completed}`,
    },
    {
      how: 'the copy has another amount',
      violatingRow: ({ completed }: ValidCopies) => completed,
      by: async (sql: Sql, { completed }: ValidCopies) => {
        const copy = await printedCopy(sql, completed);
        return sql`
          update payments
          set v2_json = ${copy.replace(/"amount":(\d+)/, '"amount":1$1')}, v2_json_version = 2
          where payment_id = ${completed}`;
      },
    },
    {
      how: 'the copy has personal data that was erased',
      violatingRow: ({ completed }: ValidCopies) => completed,
      by: async (sql: Sql, { completed }: ValidCopies) => sql`
        update payments
        set v2_json = ${`${await printedCopy(sql, completed)},"note":"erased"`}, v2_json_version = 2
        where payment_id = ${completed}`,
    },
  ],
};
