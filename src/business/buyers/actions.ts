/** Exports and erases the personal data of a buyer, who is identified by an email address (decision 0176). */
import { Refusal } from '../../base/errors.js';
import type { Database } from '../../database/database.js';
import { recordAudit } from '../../identity/audit.js';
import { type BuyerRecords, type ErasedCounts, findBuyerRecords, updateErased } from './queries.js';

/** These orders need the address. */
const UNFINISHED = ['PENDING', 'OPEN'];

export function exportBuyer(database: Database, merchantId: string, email: string): Promise<BuyerRecords> {
  return database.transaction(async (tx) => {
    const records = await findBuyerRecords(tx, merchantId, email);
    await recordAudit(tx, { kind: 'BUYER_EXPORTED', merchantId, details: toDetails(countRecords(records)) });
    return records;
  });
}

/** What the books need stays: amounts, times, states and ids. */
export function eraseBuyer(database: Database, merchantId: string, email: string): Promise<ErasedCounts> {
  return database.transaction(async (tx) => {
    const { orders } = await findBuyerRecords(tx, merchantId, email);
    const unfinished = orders.filter(({ state }) => UNFINISHED.includes(state)).map(({ id }) => id);
    if (unfinished.length > 0) {
      throw new Refusal('WRONG_STATE', {
        detail: `Orders of this buyer are not finished: ${unfinished.join(', ')}. Complete or cancel them first.`,
      });
    }
    const erased = await updateErased(tx, merchantId, email);
    await recordAudit(tx, { kind: 'BUYER_ERASED', merchantId, details: toDetails(erased) });
    return erased;
  });
}

function countRecords({ orders, payments }: BuyerRecords): ErasedCounts {
  return { orders: orders.length, payments: payments.length };
}

/** Without the address, which would survive its erasure here. */
function toDetails({ orders, payments }: ErasedCounts): Readonly<Record<string, string>> {
  return { orders: String(orders), payments: String(payments) };
}
