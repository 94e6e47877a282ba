/** Gives something back: items, an amount, or all that is left; as money, or in exchange for other goods. */
import { useState } from 'react';
import { amount, negate } from '../../../src/base/money.js';
import { queries } from '../../ui/app.js';
import { IconArrowsExchange } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { tenderName } from '../../ui/tenders.js';
import { addReturn } from '../core/cart.js';
import { updateCart } from '../core/current-cart.js';
import { send } from '../core/queue.js';
import { AmountPad } from '../parts/amount-pad.js';
import { useAttempt } from '../parts/attempt.js';
import { BigButton } from '../parts/big-button.js';
import { Choices } from '../parts/choices.js';
import { Panel } from '../parts/panel.js';
import { Stepper } from '../parts/stepper.js';
import { TextField } from '../parts/text-field.js';
import type { WireFoundSale } from '../parts/wire.js';
import { lineName } from '../sales/sale-words.js';
import { goTo } from '../shell/places.js';
import classes from './give-back.module.css';
import { cashOutOf, leftOf, type Quantities, sourcesOf, toItems, worthOf } from './returned-items.js';

type Way = 'items' | 'amount';

const WAYS: readonly { readonly value: Way; readonly label: string }[] = [
  { value: 'items', label: 'Items' },
  { value: 'amount', label: 'Amount' },
];

const REASONS = ['Returned goods', 'Wrong item', 'Damaged', 'Not satisfied'];
const REASON_OPTIONS = REASONS.map((value) => ({ value, label: value }));

export function GiveBack({ sale, onClose }: { readonly sale: WireFoundSale; readonly onClose: () => void }) {
  const hasItems = sale.refunds_by_item && sale.lines.some((line) => leftOf(line) > 0);
  const [way, setWay] = useState<Way>(hasItems ? 'items' : 'amount');
  const [quantities, setQuantities] = useState<Quantities>({});
  const [typed, setTyped] = useState(0);
  const [reason, setReason] = useState(REASONS[0] ?? '');
  const { attempt, isBusy } = useAttempt();
  const { currency, amount: most } = sale.refundable_money;
  const value = way === 'items' ? worthOf(sale, quantities) : Math.min(typed, most);
  const sum = printMoney({ amount: value, currency });
  const to = [...new Set(sale.tenders.map(tenderName))].join(', ');
  const isReady = value > 0 && reason.trim() !== '';
  const giveBack = async (): Promise<void> => {
    const what =
      way === 'items'
        ? { type: 'ITEMS', items: toItems(quantities), refunded_money: { amount: value } }
        : { type: 'PARTIAL', refunded_money: { amount: value } };
    const cash = negate(cashOutOf(sale, value, way));
    const isDone = await attempt(
      () => send('issueRefund', { payment_id: sale.payment_id, reason: reason.trim(), ...what }, { cash }),
      `${sum} given back to ${to}.`,
    );
    await queries.invalidateQueries({ queryKey: ['findSales'] });
    if (isDone) onClose();
  };
  const exchange = (): void => {
    updateCart((cart) =>
      addReturn(cart, {
        paymentId: sale.payment_id,
        amount: amount(value),
        reason: reason.trim(),
        sources: sourcesOf(sale, value, way),
        name: way === 'items' ? namesOf(sale, quantities) : `receipt ${sale.receipt_number}`,
        ...(way === 'items' && { items: toItems(quantities) }),
      }),
    );
    onClose();
    goTo('sell');
  };
  return (
    <Panel
      title="Give back"
      size={560}
      onClose={onClose}
      footer={
        <div className={classes['foot']}>
          <BigButton icon={IconArrowsExchange} isDisabled={!isReady} onClick={exchange}>
            Exchange
          </BigButton>
          <BigButton tone="main" isDisabled={!isReady} isBusy={isBusy} onClick={giveBack}>
            {value > 0 ? `Give back ${sum} to ${to}` : 'Choose what comes back'}
          </BigButton>
        </div>
      }
    >
      {hasItems && <Choices label="What comes back" options={WAYS} chosen={way} onChoose={setWay} />}
      {way === 'items' ? (
        <ul className={classes['lines']}>
          {sale.lines.map((each) => (
            <li key={each.line}>
              <span>
                <strong>{lineName(each)}</strong>
                <small>{leftWords(each)}</small>
              </span>
              {leftOf(each) > 0 && (
                <Stepper
                  label={`How many ${lineName(each)}`}
                  min={0}
                  max={Math.floor(leftOf(each))}
                  value={quantities[each.line] ?? 0}
                  onChange={(count) => setQuantities({ ...quantities, [each.line]: count })}
                />
              )}
            </li>
          ))}
        </ul>
      ) : (
        <>
          <AmountPad label="Amount to give back" value={typed} currency={currency} onChange={setTyped} />
          <BigButton tone="quiet" onClick={() => setTyped(most)}>
            {`All that is left: ${printMoney(sale.refundable_money)}`}
          </BigButton>
        </>
      )}
      <TextField label="Reason" value={reason} onChange={setReason} maxLength={192} />
      <div className={classes['reasons']}>
        <Choices label="Usual reasons" options={REASON_OPTIONS} chosen={reason} onChoose={setReason} />
      </div>
    </Panel>
  );
}

function leftWords(line: WireFoundSale['lines'][number]): string {
  const left = leftOf(line);
  if (left === 0) return 'given back already';
  return `${printMoney(line.total_money)} for ${line.quantity}${left < line.quantity ? `, ${left} left` : ''}`;
}

function namesOf({ lines }: WireFoundSale, quantities: Quantities): string {
  return lines
    .filter(({ line }) => (quantities[line] ?? 0) > 0)
    .map(lineName)
    .join(', ');
}
