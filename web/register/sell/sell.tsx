/** The place where a sale is rung up: the shelf at the left, the cart at the right. On phones the cart is a sheet. */
import { notifications } from '@mantine/notifications';
import { useCallback, useState } from 'react';
import { amount } from '../../../src/base/money.js';
import { asProblem } from '../../client/problem.js';
import { useStore } from '../../client/store.js';
import { addCustomAmount, addItem, contentOf, removeDiscount, removeReturn, setLabel } from '../core/cart.js';
import { catalogue, findByBarcode } from '../core/catalogue.js';
import { cart, clearCart, updateCart } from '../core/current-cart.js';
import { device } from '../core/device.js';
import { Elsewhere } from '../core/elsewhere.js';
import { attendant } from '../core/people.js';
import { totalsOf } from '../core/totals.js';
import { announce } from '../parts/announce.js';
import { ConfirmPanel } from '../parts/confirm-panel.js';
import { useIsNarrow } from '../parts/use-is-narrow.js';
import { isReceipt, wantedReceipt } from '../sales/wanted-receipt.js';
import { goTo, maySee } from '../shell/places.js';
import { AllowPanel } from './allow-panel.js';
import { findToAllow } from './approvals.js';
import { Cart } from './cart.js';
import { CartBar } from './cart-bar.js';
import { CartSheet } from './cart-sheet.js';
import { type ItemChoice, isPlain, usualPrice } from './catalogue-types.js';
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
import classes from './sell.module.css';
import { Shelf } from './shelf.js';
import { useScanner } from './use-scanner.js';

type Open =
  | { readonly name: 'item'; readonly itemId: string; readonly variationId?: string }
  | { readonly name: 'edit-item'; readonly itemId: string }
  | { readonly name: 'line' | 'options' | 'price'; readonly key: string }
  | { readonly name: 'allow'; readonly act: () => void }
  | { readonly name: 'custom' | 'discount' | 'park' | 'label' | 'clear' | 'put-back' };

function add({ item, variation, price, options, quantity, note }: ItemChoice): void {
  const known = catalogue.get();
  if (!known) return;
  const modifiers = options.map(({ id, name, price_money }) => ({ id, name, price: amount(price_money.amount) }));
  updateCart((current) =>
    addItem(
      current,
      { item, variation, price, modifiers, quantity: String(quantity), ...(note !== '' && { note }) },
      known,
    ),
  );
}

/** A receipt was scanned. */
function findSale(code: string): void {
  if (!maySee('sales', attendant.get()?.permissions)) {
    const message = 'Its sale can only be opened by somebody who may see past sales.';
    return void notifications.show({ color: 'yellow', title: 'This is a receipt', message });
  }
  wantedReceipt.set(code);
  goTo('sales');
}

export function Sell() {
  const [open, setOpen] = useState<Open>();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const isNarrow = useIsNarrow();
  const close = useCallback(() => setOpen(undefined), []);
  const closeSheet = useCallback(() => setSheetOpen(false), []);
  const pick = useCallback((itemId: string) => {
    const item = catalogue.get()?.items.find(({ id }) => id === itemId);
    const [variation] = item?.variations ?? [];
    if (!item || !variation) return;
    if (isPlain(item)) add({ item, variation, price: usualPrice(variation), options: [], quantity: 1, note: '' });
    else setOpen({ name: 'item', itemId });
  }, []);
  const scan = useCallback((code: string) => {
    if (isReceipt(code)) return findSale(code);
    const found = findByBarcode(code);
    if (!found) {
      notifications.show({ color: 'yellow', title: 'Unknown code', message: `No item has the code ${code}.` });
    } else if (found.variation.variable_price || found.item.modifier_list_ids.length > 0) {
      setOpen({ name: 'item', itemId: found.item.id, variationId: found.variation.id });
    } else {
      add({ ...found, price: usualPrice(found.variation), options: [], quantity: 1, note: '' });
    }
  }, []);
  useScanner(scan);
  const openCustom = useCallback(() => setOpen({ name: 'custom' }), []);
  const pane = <CartPane onOpen={setOpen} onClose={isNarrow ? closeSheet : undefined} />;
  return (
    <div className={classes['sell']}>
      <Shelf onPick={pick} onCode={scan} onCustomAmount={openCustom} />
      {isNarrow ? (
        <>
          <CartBar onOpen={() => setSheetOpen(true)} />
          <CartSheet isOpen={isSheetOpen} onClose={closeSheet}>
            {pane}
          </CartSheet>
        </>
      ) : (
        <aside className={classes['side']}>{pane}</aside>
      )}
      {open && <OpenPanel open={open} onOpen={setOpen} onClose={close} />}
    </div>
  );
}

interface CartPaneProps {
  readonly onOpen: (open: Open) => void;
  readonly onClose: (() => void) | undefined;
}

function CartPane({ onOpen, onClose }: CartPaneProps) {
  const [current, currency] = [useStore(cart), useStore(device)?.business.currency ?? 'USD'];
  const openLine = useCallback((key: string) => onOpen({ name: 'line', key }), [onOpen]);
  const onceAllowed = (act: () => void): void => {
    if (findToAllow(cart.get()).length === 0) act();
    else onOpen({ name: 'allow', act });
  };
  return (
    <Cart
      cart={current}
      totals={totalsOf(current)}
      currency={currency}
      onLine={openLine}
      onCharge={() => onceAllowed(() => goTo('charge'))}
      onDiscount={() => onOpen({ name: 'discount' })}
      onPark={() => onceAllowed(() => onOpen({ name: 'park' }))}
      onName={() => onOpen({ name: 'label' })}
      onClear={() => onOpen({ name: 'clear' })}
      onPutBack={() => (current.takenUp === contentOf(current) ? putBack() : onOpen({ name: 'put-back' }))}
      onRemoveDiscount={(index) => updateCart((before) => removeDiscount(before, index))}
      onRemoveReturn={(index) => updateCart((before) => removeReturn(before, index))}
      onClose={onClose}
    />
  );
}

interface OpenPanelProps extends CartPaneProps {
  readonly open: Open;
  readonly onClose: () => void;
}

function OpenPanel({ open, onOpen, onClose }: OpenPanelProps) {
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
            add(choice);
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
