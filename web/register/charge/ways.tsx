/** The ways to pay, as large buttons. */
import type { Icon } from '../../ui/icon.js';
import { IconArrowsSplit2, IconCash, IconCreditCard, IconDeviceTablet, IconGift, IconWallet } from '../../ui/icons.js';
import { BigButton } from '../parts/big-button.js';
import classes from './charge.module.css';

export type Way = 'CASH' | 'CARD' | 'GIFT_CARD' | 'EXTERNAL_CARD' | 'OTHER' | 'SPLIT';

interface WaysProps {
  /** Why a way to pay is not available now, such as a card without a network. */
  readonly whyNot: (way: Way) => string | undefined;
  readonly isPart: boolean;
  /** Whether the register has a card reader. Otherwise a terminal beside it charges cards. */
  readonly hasReader: boolean;
  readonly onWay: (way: Way) => void;
}

const WAYS: readonly { readonly way: Way; readonly label: string; readonly icon: Icon }[] = [
  { way: 'CASH', label: 'Cash', icon: IconCash },
  { way: 'CARD', label: 'Card', icon: IconCreditCard },
  { way: 'GIFT_CARD', label: 'Gift card', icon: IconGift },
  { way: 'EXTERNAL_CARD', label: 'Card terminal', icon: IconDeviceTablet },
  { way: 'OTHER', label: 'Other', icon: IconWallet },
  { way: 'SPLIT', label: 'Split', icon: IconArrowsSplit2 },
];

export function Ways({ whyNot, isPart, hasReader, onWay }: WaysProps) {
  const isThere = (way: Way): boolean =>
    (way === 'SPLIT' && !isPart) || (way !== 'SPLIT' && (hasReader || (way !== 'CARD' && way !== 'GIFT_CARD')));
  return (
    <div className={classes['ways']}>
      {WAYS.filter(({ way }) => isThere(way)).map(({ way, label, icon }) => {
        const reason = whyNot(way);
        return (
          <BigButton
            key={way}
            isTall
            icon={icon}
            isDisabled={reason !== undefined}
            onClick={() => onWay(way)}
            {...(reason !== undefined && { note: reason })}
          >
            {label}
          </BigButton>
        );
      })}
    </div>
  );
}
