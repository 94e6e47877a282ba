/** The place where a sale is rung up: the shelf at the left, the cart at the right. On phones the cart is a sheet. */
import { notifications } from '@mantine/notifications';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useStore } from '../../client/store.js';
import { contentOf, removeDiscount, removeReturn } from '../core/cart.js';
import { catalogue, findByBarcode } from '../core/catalogue.js';
import { cart, updateCart } from '../core/current-cart.js';
import { device } from '../core/device.js';
import { attendant } from '../core/people.js';
import { totalsOf } from '../core/totals.js';
import { useIsNarrow } from '../parts/use-is-narrow.js';
import { isReceipt, wantedReceipt } from '../sales/wanted-receipt.js';
import { goTo, maySee } from '../shell/places.js';
import { addChoice } from './add-choice.js';
import { findToAllow } from './approvals.js';
import { Cart } from './cart.js';
import { CartBar } from './cart-bar.js';
import { CartSheet } from './cart-sheet.js';
import { isPlain, usualPrice } from './catalogue-types.js';
import type { Open } from './open-panel.js';
import { putBack } from './open-sales-data.js';
import classes from './sell.module.css';
import { Shelf } from './shelf.js';
import { useScanner } from './use-scanner.js';

/** Loaded when the first one opens; the service worker keeps it for the time without a network. */
const OpenPanel = lazy(() => import('./open-panel.js'));

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
    if (isPlain(item)) addChoice({ item, variation, price: usualPrice(variation), options: [], quantity: 1, note: '' });
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
      addChoice({ ...found, price: usualPrice(found.variation), options: [], quantity: 1, note: '' });
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
      {open && (
        <Suspense>
          <OpenPanel open={open} onOpen={setOpen} onClose={close} />
        </Suspense>
      )}
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
