/**
 * An open sale that another register has paid, edited or canceled meanwhile. It never stops this one: the cart is let go, or shows the sale as
 * it is now, and one calm line says what happened (decision 0235).
 */
import { Problem } from '../../client/problem.js';
import { addedHere } from '../core/added-here.js';
import { type Cart, type CartLine, emptyCart, isEmpty } from '../core/cart.js';
import { cart } from '../core/current-cart.js';
import { device } from '../core/device.js';
import { Elsewhere } from '../core/elsewhere.js';
import { team } from '../core/people.js';
import { park } from '../core/queue.js';
import { cartOfSale } from '../core/sale-body.js';
import type { WireSale } from '../core/wire.js';
import { addedWords, elsewhereWords } from './elsewhere-words.js';

export interface Finding {
  readonly line: string;
  /** The sale as it is now, if it is still open. */
  readonly open: WireSale | undefined;
}

/** Undefined if the refusal has another reason than the state of the sale. `held` is the sale as this register has seen it. */
export function findElsewhere(
  error: unknown,
  { saleId, version, label }: Pick<Cart, 'saleId' | 'version' | 'label'>,
): Finding | undefined {
  if (!(error instanceof Problem) || error.isOutage) return undefined;
  if (error.field === 'source_id') return undefined; // the card was refused, which changes the version of the sale too
  const { sale } = error.beside as { sale?: WireSale };
  const isSame = sale?.state === 'OPEN' && sale.version === version;
  const isUnknown = saleId !== undefined && error.code === 'NOT_FOUND';
  if (isSame || !(sale || isUnknown)) return undefined;
  // A refused edit says nothing of the sale if another sale of this register has its id.
  if (saleId === undefined && !(error.code === 'CONFLICT' && error.field === 'id')) return undefined;
  return { line: lineFor(sale, label), open: sale?.state === 'OPEN' ? sale : undefined };
}

export function lineFor(sale: WireSale | undefined, label: string | undefined): string {
  const paired = device.get();
  return elsewhereWords(sale, label, {
    deviceId: paired?.id,
    team: team.get(),
    timezone: paired?.location.timezone,
  });
}

/** Lets the cart go, or makes it the sale as it is now. What was added here stays in it. Throws `Elsewhere`, or the error itself. */
export async function followCart(error: unknown, held: Cart): Promise<never> {
  const found = findElsewhere(error, held);
  if (!found) throw error;
  const added = addedHere(held);
  await replaceCart(held, found.open, added);
  const parts = [found.line, found.open && 'This is how it is now.', added.length > 0 && addedWords(added)];
  throw new Elsewhere(parts.filter(Boolean).join(' '), !found.open);
}

/** A cart that was started meanwhile stays. */
async function replaceCart(held: Cart, open: WireSale | undefined, added: readonly CartLine[]): Promise<void> {
  const current = cart.get();
  if (current.id !== held.id && !isEmpty(current)) return;
  const { label, returns } = held;
  const next = open ? cartOfSale(open) : { ...emptyCart(), ...(added.length > 0 && label !== undefined && { label }) };
  await cart.save({ ...next, returns, lines: [...next.lines, ...added] });
}

/** Parks the cart. Throws `Elsewhere` if it is an open sale that is not the same any more. */
export async function parkCart(): Promise<void> {
  const held = cart.get();
  await park().catch((error) => followCart(error, held));
}
