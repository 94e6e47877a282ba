/** The panel that is open above the place of selling: an item, a line of the cart, a discount, a name, or a question. */
import { notifications } from '@mantine/notifications';
import { amount } from '../../../src/base/money.js';
import { asProblem } from '../../client/problem.js';
import { useStore } from '../../client/store.js';
import { addCustomAmount, setLabel } from '../core/cart.js';
import { catalogue } from '../core/catalogue.js';
import { cart, clearCart, updateCart } from '../core/current-cart.js';
import { device } from '../core/device.js';
import { Elsewhere } from '../core/elsewhere.js';
import { attendant } from '../core/people.js';
import { announce } from '../parts/announce.js';
import { ConfirmPanel } from '../parts/confirm-panel.js';
import { addChoice } from './add-choice.js';
import { AllowPanel } from './allow-panel.js';
import { isPlain } from './catalogue-types.js';
import { CustomAmount } from './custom-amount.js';
import { DiscountPanel } from './discount-panel.js';
import { EditItem } from './edit-item.js';
import { ItemPanel } from './item-panel.js';
import { LinePanel } from './line-panel.js';
import { NamePanel } from './name-panel.js';
import { cancelOpenSale, parkSale, putBack } from './open-sales-data.js';
import { OptionsPanel } from './options-panel.js';
import { PricePanel } from './price-panel.js';
import { salesTaxesOf } from './sales-tax.js';

export type Open =
  | { readonly name: 'item'; readonly itemId: string; readonly variationId?: string }
  | { readonly name: 'edit-item'; readonly itemId: string }
  | { readonly name: 'line' | 'options' | 'price'; readonly key: string }
  | { readonly name: 'allow'; readonly act: () => void }
  | { readonly name: 'custom' | 'discount' | 'park' | 'label' | 'clear' | 'put-back' };

interface OpenPanelProps {
  readonly open: Open;
  readonly onOpen: (open: Open) => void;
  readonly onClose: () => void;
}

export default function OpenPanel({ open, onOpen, onClose }: OpenPanelProps) {
  const [known, current, paired] = [useStore(catalogue), useStore(cart), useStore(device)];
  const mayEdit = useStore(attendant)?.permissions.has('REGISTER_EDIT_ITEM') ?? false;
  if (!known || !paired) return null;
  const { currency } = paired.business;
  switch (open.name) {
    case 'item': {
      const item = known.items.find(({ id }) => id === open.itemId);
      const variation = item?.variations.find(({ id }) => id === open.variationId);
      return item ? (
        <ItemPanel
          catalogue={known}
          item={item}
          before={variation && { variation }}
          submitWord="Add"
          onClose={onClose}
          onEdit={mayEdit ? () => onOpen({ name: 'edit-item', itemId: item.id }) : undefined}
          onSubmit={(choice) => {
            addChoice(choice);
            onClose();
          }}
        />
      ) : null;
    }
    case 'edit-item': {
      const item = known.items.find(({ id }) => id === open.itemId);
      return item ? <EditItem item={item} onClose={onClose} /> : null;
    }
    case 'line': {
      const line = current.lines.find(({ key }) => key === open.key);
      const item = known.items.find(({ id }) => id === line?.itemId);
      return line ? (
        <LinePanel
          line={line}
          onClose={onClose}
          onPrice={line.itemId === undefined ? undefined : () => onOpen({ name: 'price', key: line.key })}
          onOptions={item && !isPlain(item) ? () => onOpen({ name: 'options', key: line.key }) : undefined}
          onEditItem={item && mayEdit ? () => onOpen({ name: 'edit-item', itemId: item.id }) : undefined}
        />
      ) : null;
    }
    case 'options':
      return <OptionsPanel lineKey={open.key} onClose={onClose} />;
    case 'price': {
      const line = current.lines.find(({ key }) => key === open.key);
      return line ? <PricePanel line={line} onClose={onClose} /> : null;
    }
    case 'allow': {
      const proceed = (): void => {
        onClose();
        open.act();
      };
      return <AllowPanel wanted={current} onAllowed={proceed} onClose={onClose} />;
    }
    case 'custom':
      return (
        <CustomAmount
          currency={currency}
          onClose={onClose}
          onAdd={({ name, amount: typed }) => {
            updateCart((before) =>
              addCustomAmount(before, { name, amount: amount(typed), taxes: salesTaxesOf(paired) }),
            );
            onClose();
          }}
        />
      );
    case 'discount':
      return <DiscountPanel onClose={onClose} />;
    case 'label':
      return (
        <NamePanel
          title="Name this sale"
          submitLabel="Save"
          name={current.label ?? ''}
          onClose={onClose}
          onSubmit={(name) => {
            updateCart((before) => setLabel(before, name));
            onClose();
          }}
        />
      );
    case 'park':
      return (
        <NamePanel
          title="Park this sale"
          submitLabel="Park it"
          name={current.label ?? ''}
          onClose={onClose}
          onSubmit={async (name) => {
            try {
              await parkSale(name);
              announce(`${name === '' ? 'The sale' : name} is parked. Find it under Open.`);
              onClose();
            } catch (error) {
              if (error instanceof Elsewhere) {
                announce(error.message);
                onClose();
              } else notifications.show({ color: 'red', title: 'Not parked', message: asProblem(error).message });
            }
          }}
        />
      );
    case 'put-back':
      return (
        <ConfirmPanel
          title="Put it back unchanged?"
          submitLabel="Put it back"
          onClose={onClose}
          onConfirm={async () => putBack()}
        >
          The sale stays open, as it was before. What was changed here is not saved.
        </ConfirmPanel>
      );
    case 'clear':
      return current.saleId === undefined ? (
        <ConfirmPanel
          title="Clear the cart?"
          submitLabel="Clear it"
          onClose={onClose}
          onConfirm={async () => clearCart()}
        >
          Everything in it is removed. Nothing was charged.
        </ConfirmPanel>
      ) : (
        <ConfirmPanel
          title="Cancel this sale?"
          submitLabel="Cancel the sale"
          onClose={onClose}
          onConfirm={() => cancelOpenSale(current)}
        >
          The open sale is canceled for everybody. What was paid of it goes back to the buyer.
        </ConfirmPanel>
      );
  }
}
