/** Rings up sales at a register. */
import {
  findSentBefore,
  type NewSale,
  openSale,
  resolveTenders,
  type SaleContext,
  type TakenSale,
  takeTenders,
} from '../payments/sale-actions.js';

export async function ringUpSale(context: SaleContext, given: NewSale): Promise<TakenSale> {
  const known = await findSentBefore(context, given);
  if (known !== undefined) return resolveTenders(context, known);
  const made = await context.database.transaction(async (tx) => {
    const sale = await openSale(tx, context, given);
    if (sale) await takeTenders(tx, context, sale, given.tenders);
    return sale;
  });
  // Sent twice at the same moment: the other one made it.
  return made ? resolveTenders(context, made.id) : ringUpSale(context, given);
}
