/** Money that was taken here for a sale that another register had paid meanwhile: the server has recorded it, and the owner sees it. */
import { type Amount, amount, subtract, ZERO } from '../../../src/base/money.js';
import { printMoney } from '../../ui/money.js';
import type { TenderInput } from '../core/sale-body.js';
import type { WireSale } from '../core/wire.js';
import { lineFor } from '../sell/elsewhere.js';

interface Surplus {
  /** Nothing of the tender was needed. */
  readonly isAll: boolean;
  /** For the cashier. */
  readonly line: string;
}

interface Sent {
  /** Of the write. The first tender of a sale has the id of the sale. */
  readonly id: string;
  readonly tender: Pick<TenderInput, 'type' | 'amount' | 'tip'>;
}

/** Undefined if all of the tender pays for the sale, as usual. */
export function findSurplus({ id, tender }: Sent, sale: WireSale): Surplus | undefined {
  if (sale.register_id === id) return undefined;
  const { type, amount: given, tip = ZERO } = tender;
  const taken = sale.tenders.find(({ register_id }) => register_id === id);
  if (taken && (given === undefined || type === 'CARD' || type === 'GIFT_CARD')) return undefined;
  const rest = given && subtract(given, amount(taken?.amount_money.amount ?? 0));
  if (rest !== undefined && rest <= ZERO) return undefined;
  return { isAll: !taken, line: wordsFor(sale, type, rest && (taken ? rest : amount(rest + tip))) };
}

function wordsFor(sale: WireSale, type: TenderInput['type'], rest: Amount | undefined): string {
  const { currency } = sale.total_money;
  const money = rest === undefined ? 'What' : `The ${printMoney({ amount: rest, currency })}`;
  const inCash = type === 'CASH' ? ' in cash' : '';
  return `${lineFor(sale, undefined)} ${money}${inCash} that was taken here too is recorded, and the owner sees it.`;
}
