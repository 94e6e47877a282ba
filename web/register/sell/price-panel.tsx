/** Sells one line of the cart at another price. Below the price of the catalogue, somebody may have to allow it. */
import { useState } from 'react';
import { amount } from '../../../src/base/money.js';
import { useStore } from '../../client/store.js';
import { printMoney } from '../../ui/money.js';
import { type CartLine, editLine } from '../core/cart.js';
import { cart, updateCart } from '../core/current-cart.js';
import { device } from '../core/device.js';
import { AmountPad } from '../parts/amount-pad.js';
import { BigButton } from '../parts/big-button.js';
import { Panel } from '../parts/panel.js';
import { AllowPanel } from './allow-panel.js';
import { findToAllow } from './approvals.js';

export function PricePanel({ line, onClose }: { readonly line: CartLine; readonly onClose: () => void }) {
  const [price, setPrice] = useState(0);
  const [isAsking, setAsking] = useState(false);
  const currency = useStore(device)?.business.currency ?? 'USD';
  const wanted = editLine(useStore(cart), line.key, { price: amount(price) });
  const submit = (): void => {
    if (findToAllow(wanted).length > 0) {
      setAsking(true);
      return;
    }
    updateCart(() => wanted);
    onClose();
  };
  if (isAsking) return <AllowPanel wanted={wanted} onAllowed={onClose} onClose={onClose} />;
  return (
    <Panel
      title={`Price of ${line.name}`}
      size={420}
      onClose={onClose}
      footer={
        <BigButton tone="main" isTall onClick={submit}>
          {`Sell for ${printMoney({ amount: price, currency })}`}
        </BigButton>
      }
    >
      <p>Now {printMoney({ amount: line.price, currency })} for one, without extras. Only for this sale.</p>
      <AmountPad label="Price" value={price} currency={currency} onChange={setPrice} onEnter={submit} />
    </Panel>
  );
}
