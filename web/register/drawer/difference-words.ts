/** Counted against expected cash, in words. */
import { printMoney } from '../../ui/money.js';

export function differenceWords(difference: number, currency: string): string {
  if (difference === 0) return 'Exactly right';
  return `${printMoney({ amount: Math.abs(difference), currency })} ${difference > 0 ? 'too much' : 'too little'}`;
}
