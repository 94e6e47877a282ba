/** Other variations and modifiers for a line that is in the cart. */
import { amount } from '../../../src/base/money.js';
import { useStore } from '../../client/store.js';
import { editLine } from '../core/cart.js';
import { catalogue } from '../core/catalogue.js';
import { cart, updateCart } from '../core/current-cart.js';
import { ItemPanel } from './item-panel.js';

export function OptionsPanel({ lineKey, onClose }: { readonly lineKey: string; readonly onClose: () => void }) {
  const [known, current] = [useStore(catalogue), useStore(cart)];
  const line = current.lines.find(({ key }) => key === lineKey);
  const item = known?.items.find(({ id }) => id === line?.itemId);
  if (!known || !line || !item) return null;
  const chosen = new Set(line.modifiers.map(({ id }) => id));
  const options = known.modifier_lists.flatMap((list) => list.options).filter(({ id }) => chosen.has(id));
  const variation = item.variations.find(({ id }) => id === line.variationId);
  return (
    <ItemPanel
      catalogue={known}
      item={item}
      before={{
        ...(variation && { variation }),
        price: line.price,
        options,
        quantity: Number(line.quantity),
        note: line.note ?? '',
      }}
      submitWord="Save"
      onClose={onClose}
      onSubmit={({ variation: now, price, options: wanted, quantity, note }) => {
        updateCart((before) =>
          editLine(before, lineKey, {
            variationId: now.id,
            ...(item.variations.length > 1 && { variationName: now.name }),
            ...(now.sku !== undefined && { sku: now.sku }),
            price,
            quantity: String(quantity),
            modifiers: wanted.map(({ id, name, price_money }) => ({ id, name, price: amount(price_money.amount) })),
            ...(note !== '' && { note }),
          }),
        );
        onClose();
      }}
    />
  );
}
