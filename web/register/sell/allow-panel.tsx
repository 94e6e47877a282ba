/** Before a sale is charged or parked: what it costs less has to be allowed by somebody who may. */
import type { Reduction } from '../../../src/business/receipts/reductions.js';
import { useStore } from '../../client/store.js';
import { printMoney } from '../../ui/money.js';
import type { Cart } from '../core/cart.js';
import { updateCart } from '../core/current-cart.js';
import { device } from '../core/device.js';
import { ApprovePanel } from '../parts/approve-panel.js';
import { allowedBy, DISCOUNT_PERMISSION, findToAllow, toApprove } from './approvals.js';

interface AllowPanelProps {
  /** The cart as it would be. */
  readonly wanted: Cart;
  readonly onAllowed: () => void;
  readonly onClose: () => void;
}

export function AllowPanel({ wanted, onAllowed, onClose }: AllowPanelProps) {
  const currency = useStore(device)?.business.currency ?? 'USD';
  const reductions = findToAllow(wanted);
  return (
    <ApprovePanel
      title="Allow a lower price"
      why={reductions.map((each) => wordsFor(each, currency)).join(' ')}
      permission={DISCOUNT_PERMISSION}
      sale={toApprove(wanted)}
      onClose={onClose}
      onApproved={(approval) => {
        updateCart(() => allowedBy(wanted, approval));
        onAllowed();
      }}
    />
  );
}

function wordsFor({ kind, name, amount }: Reduction, currency: string): string {
  const money = printMoney({ amount, currency });
  return kind === 'PRICE' ? `${name} is sold ${money} below its price.` : `${name} takes ${money} off.`;
}
