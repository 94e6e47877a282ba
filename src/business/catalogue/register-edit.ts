/** Changes the name and the prices of an item at a register. Everything else is edited on the dashboard. */
import type { AttendantContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import type { Amount } from '../../base/money.js';
import { wholeSecond } from '../../base/time.js';
import { actorOf, auditChange } from '../../identity/audit.js';
import { nextVersion, requireSeen, saveItem } from './actions.js';
import { type Item, isSoldAt } from './model.js';
import { findItem } from './queries.js';

export interface RegisterEdit {
  readonly name: string;
  /** The new prices by the id of the variation. Other variations keep their price. */
  readonly prices: ReadonlyMap<string, Amount>;
  /** The version that the register has seen. */
  readonly version: number;
}

export async function editItemAtRegister(context: AttendantContext, itemId: string, edit: RegisterEdit): Promise<Item> {
  const { database, merchant, device, now } = context;
  const known = await findItem(database.sql, merchant.id, itemId);
  if (!known || !isSoldAt(known, device.locationId)) throw notFound('item', itemId);
  requireSeen(known, edit.version);
  if (edit.name === '') throw new Refusal('INVALID_VALUE', { field: 'name', detail: 'The name is empty.' });
  for (const id of edit.prices.keys()) {
    if (known.variations.some((variation) => variation.id === id)) continue;
    throw new Refusal('INVALID_VALUE', { field: 'variations.id', detail: `The item has no variation ${id}.` });
  }
  const item: Item = {
    ...known,
    ...nextVersion(known.id, edit.version),
    name: edit.name,
    variations: known.variations.map((each) => ({ ...each, price: edit.prices.get(each.id) ?? each.price })),
    updatedAt: wholeSecond(now),
  };
  const details = { item_id: itemId, name: edit.name, before: describe(known), after: describe(item) };
  const entry = { kind: 'ITEM_CHANGED_AT_REGISTER', ...actorOf(context), details } as const;
  await database.change(merchant.id, async (change) => {
    await saveItem(change, item);
    auditChange(change, entry);
  });
  return item;
}

/** What the audit log shows: the name and the prices in minor units. */
function describe({ name, variations }: Item): string {
  return `${name}: ${variations.map((each) => `${each.name} ${each.price}`).join(', ')}`.slice(0, 1000);
}
