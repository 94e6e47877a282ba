/** What was added to an open sale at this register since it was taken up. Pure. */
import { type Cart, type CartLine, subtractDecimals } from './cart.js';

/** New lines, and what a line has more of. Empty for a cart that was not taken up. */
export function addedHere({ takenUp, lines }: Pick<Cart, 'takenUp' | 'lines'>): readonly CartLine[] {
  if (takenUp === undefined) return [];
  const [, before] = JSON.parse(takenUp) as [unknown, readonly CartLine[]];
  return lines.flatMap((line) => {
    const known = before.find(({ key }) => key === line.key);
    if (!known) return [line];
    const more = subtractDecimals(line.quantity, known.quantity);
    return more === undefined ? [] : [{ ...line, key: crypto.randomUUID(), quantity: more }];
  });
}
