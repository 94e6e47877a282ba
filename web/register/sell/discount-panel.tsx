/** Discounts on the whole sale. */
import { useStore } from '../../client/store.js';
import { IconDiscount } from '../../ui/icons.js';
import { Empty } from '../../ui/states.js';
import { addDiscount, removeDiscount } from '../core/cart.js';
import { catalogue } from '../core/catalogue.js';
import { cart, updateCart } from '../core/current-cart.js';
import { Panel } from '../parts/panel.js';
import { allowedBy } from './approvals.js';
import { toCartDiscount } from './catalogue-types.js';
import { DiscountList } from './discount-list.js';

export function DiscountPanel({ onClose }: { readonly onClose: () => void }) {
  const [{ discounts: given }, discounts] = [useStore(cart), useStore(catalogue)?.discounts ?? []];
  return (
    <Panel title="Discount on the sale" onClose={onClose}>
      {discounts.length === 0 ? (
        <Empty icon={IconDiscount} title="No discounts yet">
          The owner adds discounts to the catalogue in the dashboard.
        </Empty>
      ) : (
        <DiscountList
          discounts={discounts}
          given={new Set(given.map(({ id }) => id))}
          withDiscount={(discount) => addDiscount(cart.get(), toCartDiscount(discount))}
          onGive={(discount, approval) => {
            updateCart((current) => allowedBy(addDiscount(current, toCartDiscount(discount)), approval));
            onClose();
          }}
          onTake={({ id }) =>
            updateCart((current) =>
              removeDiscount(
                current,
                given.findIndex((each) => each.id === id),
              ),
            )
          }
        />
      )}
    </Panel>
  );
}
