/** Takes goods back: items, an amount, or all that is left; for money, or in exchange for other goods. */
import { useState } from 'react';
import { amount, negate } from '../../../src/base/money.js';
import { tenderName } from '../../../src/business/tenders/words.js';
import { queries } from '../../ui/app.js';
import { IconArrowsExchange } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { addReturn } from '../core/cart.js';
import { updateCart } from '../core/current-cart.js';
import { send } from '../core/queue.js';
import { AmountPad } from '../parts/amount-pad.js';
import { useAttempt } from '../parts/attempt.js';
import { BigButton } from '../parts/big-button.js';
import { Choices } from '../parts/choices.js';
import { Message } from '../parts/message.js';
import { Panel } from '../parts/panel.js';
import { Stepper } from '../parts/stepper.js';
import { TextField } from '../parts/text-field.js';
import type { WireFoundSale } from '../parts/wire.js';
import { lineName } from '../sales/sale-words.js';
import { goTo } from '../shell/places.js';
import classes from './return-panel.module.css';
import {
  cashOutOf,
  leftOf,
  payersOf,
  type Quantities,
  sourcesOf,
  sourcesOfTender,
  toItems,
  worthOf,
} from './returned-items.js';

type Way = 'items' | 'amount';

const WAYS: readonly { readonly value: Way; readonly label: string }[] = [
  { value: 'items', label: 'Items' },
  { value: 'amount', label: 'Amount' },
];

const REASONS = ['Returned goods', 'Wrong item', 'Damaged', 'Not satisfied'];
const REASON_OPTIONS = REASONS.map((value) => ({ value, label: value }));

export function ReturnPanel({ sale, onClose }: { readonly sale: WireFoundSale; readonly onClose: () => void }) {
  const hasItems = sale.refunds_by_item && sale.lines.some((line) => leftOf(line) > 0);
  const [way, setWay] = useState<Way>(hasItems ? 'items' : 'amount');
  const [quantities, setQuantities] = useState<Quantities>({});
  const [typed, setTyped] = useState(0);
  const [reason, setReason] = useState(REASONS[0] ?? '');
  const { attempt, isBusy } = useAttempt();
  // An amount goes back to one tender.
  const refundable = sale.tenders.filter(({ refundable_money: left }) => left.amount > 0);
  const [tenderId, setTenderId] = useState(refundable[0]?.id);
  const tender = refundable.find(({ id }) => id === tenderId);
  const { currency } = sale.refundable_money;
  const most = tender?.refundable_money.amount ?? 0;
  const value = way === 'items' ? worthOf(sale, quantities) : Math.min(typed, most);
  const sum = printMoney({ amount: value, currency });
  const sources = way === 'items' ? sourcesOf(sale, value) : tender ? sourcesOfTender(tender, value) : [];
  const paymentId = way === 'items' || !tender ? sale.payment_id : tender.id;
  const paidBack = (way === 'amount' && tender ? [tender] : sale.tenders).flatMap(payersOf);
  const to = [...new Set(paidBack.map(tenderName))].join(', ');
  const isAtTerminal = paidBack.some(({ type }) => type === 'EXTERNAL_CARD');
  const isReady = value > 0 && reason.trim() !== '';
  const refund = async (): Promise<void> => {
    const what =
      way === 'items'
        ? { type: 'ITEMS', items: toItems(quantities), refunded_money: { amount: value } }
        : { type: 'PARTIAL', refunded_money: { amount: value } };
    const cash = negate(cashOutOf(sources));
    const isDone = await attempt(
      () => send('issueRefund', { payment_id: paymentId, reason: reason.trim(), ...what }, { cash }),
      `${sum} given back to ${to}.`,
    );
    await queries.invalidateQueries({ queryKey: ['findSales'] });
    if (isDone) onClose();
  };
  const exchange = (): void => {
    updateCart((cart) =>
      addReturn(cart, {
        paymentId,
        amount: amount(value),
        reason: reason.trim(),
        sources,
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
          <BigButton tone="main" isDisabled={!isReady} isBusy={isBusy} onClick={refund}>
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
          {refundable.length > 1 && (
            <Choices
              label="Back to"
              isLabelShown
              options={refundable.map((each) => ({ value: each.id, label: optionOf(each) }))}
              chosen={tenderId}
              onChoose={setTenderId}
            />
          )}
          <AmountPad label="Amount to give back" value={typed} currency={currency} onChange={setTyped} />
          <BigButton tone="quiet" onClick={() => setTyped(most)}>
            {`All that is left: ${printMoney({ amount: most, currency })}`}
          </BigButton>
        </>
      )}
      {isAtTerminal && (
        <Message tone="warning">Give the money back on the card terminal, too. Here it is only recorded.</Message>
      )}
      <TextField label="Reason" value={reason} onChange={setReason} maxLength={192} />
      <div className={classes['reasons']}>
        <Choices label="Usual reasons" options={REASON_OPTIONS} chosen={reason} onChoose={setReason} />
      </div>
    </Panel>
  );
}

/** `Cash, $5.00 left`. */
function optionOf(tender: WireFoundSale['tenders'][number]): string {
  return `${[...new Set(payersOf(tender).map(tenderName))].join(', ')}, ${printMoney(tender.refundable_money)} left`;
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
