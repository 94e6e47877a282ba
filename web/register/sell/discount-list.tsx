/** The discounts of the catalogue, as switches. A restricted one, or each if the owner restricts all, asks for somebody who may give it. */
import { useState } from 'react';
import { useStore } from '../../client/store.js';
import { IconLock } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import type { Cart, CartApproval } from '../core/cart.js';
import { device } from '../core/device.js';
import { attendant } from '../core/people.js';
import { ApprovePanel } from '../parts/approve-panel.js';
import { printPercent } from '../parts/percent.js';
import { DISCOUNT_PERMISSION, toApprove } from './approvals.js';
import type { Discount } from './catalogue-types.js';
import classes from './item-panel.module.css';

interface DiscountListProps {
  readonly discounts: readonly Discount[];
  /** Ids of those that are given. */
  readonly given: ReadonlySet<string | undefined>;
  /** The cart as it would be with one more discount. */
  readonly withDiscount: (discount: Discount) => Cart;
  /** `approval` is what somebody has allowed for a restricted one. */
  readonly onGive: (discount: Discount, approval?: CartApproval) => void;
  readonly onTake: (discount: Discount) => void;
}

export function DiscountList({ discounts, given, withDiscount, onGive, onTake }: DiscountListProps) {
  const [asked, setAsked] = useState<Discount>();
  const isAllowed = useStore(attendant)?.permissions.has(DISCOUNT_PERMISSION) ?? false;
  const areAllRestricted = useStore(device)?.restrict_discounts ?? false;
  const needsApproval = ({ restricted }: Discount): boolean => (restricted || areAllRestricted) && !isAllowed;
  const toggle = (discount: Discount): void => {
    if (given.has(discount.id)) onTake(discount);
    // In an empty cart it takes nothing off yet: the charge asks.
    else if (needsApproval(discount) && toApprove(withDiscount(discount)).amount > 0) setAsked(discount);
    else onGive(discount);
  };
  return (
    <>
      <div className={classes['options']}>
        {discounts.map((discount) => (
          <button
            key={discount.id}
            type="button"
            className={classes['option']}
            aria-pressed={given.has(discount.id)}
            onClick={() => toggle(discount)}
          >
            <span>{discount.name}</span>
            <small>
              {measureOf(discount)}
              {needsApproval(discount) && (
                <>
                  {' · '}
                  <IconLock size={15} stroke={2} aria-hidden /> needs approval
                </>
              )}
            </small>
          </button>
        ))}
      </div>
      {asked && (
        <ApprovePanel
          title={`Allow ${asked.name}`}
          permission={DISCOUNT_PERMISSION}
          sale={toApprove(withDiscount(asked))}
          onClose={() => setAsked(undefined)}
          onApproved={(approval) => {
            onGive(asked, approval);
            setAsked(undefined);
          }}
        />
      )}
    </>
  );
}

function measureOf({ rate, amount_money: money }: Discount): string {
  if (rate !== undefined) return `${printPercent(rate)} off`;
  return money ? `${printMoney(money)} off` : '';
}
