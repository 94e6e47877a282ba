/** The sale is paid: what the buyer gets back, and the receipt. One tap starts the next sale. */
import { useState } from 'react';
import { useStore } from '../../client/store.js';
import { IconCircleCheck, IconCloudOff, IconPrinter, IconQrcode, IconReceipt } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { ChangeDue } from '../charge/change-due.js';
import { type Charging, finishCharging } from '../charge/charging.js';
import { paymentsOf } from '../charge/paid-with.js';
import { device } from '../core/device.js';
import { isCard, refused } from '../core/queue.js';
import { BigButton } from '../parts/big-button.js';
import { ButtonRow } from '../parts/button-row.js';
import { Message } from '../parts/message.js';
import { Panel } from '../parts/panel.js';
import { printPaper } from '../parts/print.js';
import { goTo } from '../shell/places.js';
import classes from './done.module.css';
import { ReceiptLink } from './receipt-link.js';
import { SaleReceipt } from './sale-receipt.js';

export function Done({ sale }: { readonly sale: Charging }) {
  const [open, setOpen] = useState<'receipt' | 'link'>();
  const currency = useStore(device)?.business.currency ?? 'USD';
  const print = (amount: number) => printMoney({ amount, currency });
  // The change of an earlier part was given before the next part was asked for.
  const cash = sale.taken.at(-1);
  const queued = sale.taken.filter((each) => each.isQueued);
  const hasCard = queued.some(isCard);
  const isRefused = useStore(refused).some(({ write }) => queued.some(({ writeId }) => writeId === write.id));
  const next = (): void => {
    finishCharging();
    goTo('sell');
  };
  return (
    <div className={classes['done']} data-state="full">
      <h1 className={classes['title']} data-open={isRefused || hasCard || undefined}>
        {isRefused || hasCard ? null : <IconCircleCheck size={30} stroke={1.8} aria-hidden />}
        {isRefused ? 'Not paid' : hasCard ? 'Not charged yet' : sale.taken.length > 0 ? 'Paid' : 'Exchanged'}
      </h1>
      {cash?.change !== undefined && cash.tendered !== undefined ? (
        <ChangeDue change={{ amount: cash.change, currency }} note={`Out of ${print(cash.tendered)}`} />
      ) : (
        <p className={classes['total']}>{print(totalOf(sale))}</p>
      )}
      {isRefused && (
        <div className={classes['queued']}>
          <Message tone="danger" title="The server refused this sale" role="alert">
            The bar above says why, and what can be done.
          </Message>
        </div>
      )}
      {queued.length > 0 && !isRefused && (
        <div className={classes['queued']}>
          <Message tone="warning" icon={IconCloudOff} role="status">
            {hasCard
              ? 'Kept here. The card is charged when the network is back, and may be declined.'
              : 'Kept here. It is sent when the network is back.'}
          </Message>
        </div>
      )}
      <div className={classes['next']}>
        <BigButton tone="main" isTall autoFocus onClick={next}>
          Next sale
        </BigButton>
      </div>
      <div className={classes['next']}>
        <ButtonRow>
          <BigButton icon={IconReceipt} onClick={() => setOpen('receipt')}>
            Receipt
          </BigButton>
          <BigButton icon={IconPrinter} onClick={() => printPaper(<SaleReceipt sale={sale} />)}>
            Print
          </BigButton>
          {sale.receiptUrl !== undefined && (
            <BigButton icon={IconQrcode} onClick={() => setOpen('link')}>
              Link
            </BigButton>
          )}
        </ButtonRow>
      </div>
      {open === 'receipt' && (
        <Panel
          title="Receipt"
          size={420}
          onClose={() => setOpen(undefined)}
          footer={
            <BigButton icon={IconPrinter} onClick={() => printPaper(<SaleReceipt sale={sale} />)}>
              Print
            </BigButton>
          }
        >
          <SaleReceipt sale={sale} />
        </Panel>
      )}
      {open === 'link' && sale.receiptUrl !== undefined && (
        <ReceiptLink address={sale.receiptUrl} onClose={() => setOpen(undefined)} />
      )}
    </div>
  );
}

/** With tips, as the receipt says it. */
function totalOf(sale: Charging): number {
  return paymentsOf(sale).reduce((sum, { total }) => sum + total, 0);
}
