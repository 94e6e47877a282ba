/** Changes one line of the cart: the quantity, a note, a discount or the options. It can also remove the line. */
import { useState } from 'react';
import { useStore } from '../../client/store.js';
import { IconTrash } from '../../ui/icons.js';
import { addDiscount, type CartLine, removeDiscount, removeLine, setNote, setQuantity } from '../core/cart.js';
import { catalogue } from '../core/catalogue.js';
import { cart, updateCart } from '../core/current-cart.js';
import { BigButton } from '../parts/big-button.js';
import { Panel } from '../parts/panel.js';
import { Stepper } from '../parts/stepper.js';
import { TextField } from '../parts/text-field.js';
import { allowedBy } from './approvals.js';
import { toCartDiscount } from './catalogue-types.js';
import { DiscountList } from './discount-list.js';
import classes from './item-panel.module.css';

interface LinePanelProps {
  readonly line: CartLine;
  readonly onClose: () => void;
  /** Absent if nothing can be chosen. */
  readonly onOptions?: (() => void) | undefined;
  /** Absent for a custom amount. */
  readonly onPrice?: (() => void) | undefined;
  /** Absent if the person may not edit items. */
  readonly onEditItem?: (() => void) | undefined;
}

export function LinePanel({ line, onClose, onOptions, onPrice, onEditItem }: LinePanelProps) {
  const [note, setTyped] = useState(line.note ?? '');
  const discounts = useStore(catalogue)?.discounts ?? [];
  const { key } = line;
  const count = Number(line.quantity);
  const close = (): void => {
    if (note.trim() !== (line.note ?? '')) updateCart((cart) => setNote(cart, key, note.trim()));
    onClose();
  };
  return (
    <Panel
      title={line.variationName === undefined ? line.name : `${line.name}, ${line.variationName}`}
      onClose={close}
      footer={
        <div className={classes['foot']}>
          <Stepper
            label="Quantity"
            value={count}
            onChange={(value) => updateCart((cart) => setQuantity(cart, key, String(value)))}
          />
          <BigButton tone="main" isTall onClick={close}>
            Done
          </BigButton>
        </div>
      }
    >
      {onOptions && <BigButton onClick={onOptions}>Change size and extras</BigButton>}
      {onPrice && <BigButton onClick={onPrice}>Change the price</BigButton>}
      <TextField
        label="Note"
        placeholder="For the kitchen or the receipt"
        value={note}
        onChange={setTyped}
        maxLength={500}
        onEnter={close}
      />
      {discounts.length > 0 && (
        <fieldset className={classes['group']} style={{ marginTop: 20 }}>
          <legend>Discount on this item</legend>
          <DiscountList
            discounts={discounts}
            given={new Set(line.discounts.map(({ id }) => id))}
            withDiscount={(discount) => addDiscount(cart.get(), toCartDiscount(discount), key)}
            onGive={(discount, approval) =>
              updateCart((current) => allowedBy(addDiscount(current, toCartDiscount(discount), key), approval))
            }
            onTake={({ id }) =>
              updateCart((cart) =>
                removeDiscount(
                  cart,
                  line.discounts.findIndex((each) => each.id === id),
                  key,
                ),
              )
            }
          />
        </fieldset>
      )}
      {onEditItem && (
        <BigButton tone="quiet" onClick={onEditItem}>
          Edit name and price in the catalogue
        </BigButton>
      )}
      <BigButton
        tone="danger"
        icon={IconTrash}
        onClick={() => {
          updateCart((cart) => removeLine(cart, key));
          onClose();
        }}
      >
        Remove from the cart
      </BigButton>
    </Panel>
  );
}
