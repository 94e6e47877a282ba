/** One past sale: what was sold and paid, its receipt, and the way to give something back. */
import { useState } from 'react';
import { tenderName } from '../../../src/business/tenders/words.js';
import { useStore } from '../../client/store.js';
import { IconQrcode, IconReceiptRefund } from '../../ui/icons.js';
import { printMoney } from '../../ui/money.js';
import { printTime } from '../../ui/time.js';
import { device } from '../core/device.js';
import { attendant } from '../core/people.js';
import { BigButton } from '../parts/big-button.js';
import { ButtonRow } from '../parts/button-row.js';
import { Panel } from '../parts/panel.js';
import { PaperLine, PaperRule, PaperSums } from '../parts/paper-lines.js';
import type { WireFoundSale } from '../parts/wire.js';
import { ReceiptLink } from '../receipt/receipt-link.js';
import { ReturnPanel } from '../returns/return-panel.js';
import { lineName } from './sale-words.js';

export function SalePanel({ sale, onClose }: { readonly sale: WireFoundSale; readonly onClose: () => void }) {
  const [open, setOpen] = useState<'return' | 'link'>();
  const mayRefund = useStore(attendant)?.permissions.has('REGISTER_ISSUE_REFUNDS') ?? false;
  const timezone = useStore(device)?.location.timezone;
  if (open === 'return') return <ReturnPanel sale={sale} onClose={onClose} />;
  if (open === 'link') return <ReceiptLink address={sale.receipt_url} onClose={() => setOpen(undefined)} />;
  const isRefundable = sale.refundable_money.amount > 0;
  return (
    <Panel
      title={`Sale of ${printTime(sale.created_at, 'both', timezone)}`}
      size={480}
      onClose={onClose}
      footer={
        <ButtonRow>
          <BigButton icon={IconQrcode} onClick={() => setOpen('link')}>
            Receipt
          </BigButton>
          {mayRefund && (
            <BigButton
              tone="main"
              icon={IconReceiptRefund}
              isDisabled={!isRefundable}
              onClick={() => setOpen('return')}
            >
              {isRefundable ? 'Give back' : 'All given back'}
            </BigButton>
          )}
        </ButtonRow>
      }
    >
      {sale.lines.map((line) => (
        <PaperLine
          key={line.line}
          label={line.quantity === 1 ? lineName(line) : `${line.quantity} × ${lineName(line)}`}
          value={printMoney(line.list_money)}
        />
      ))}
      <PaperRule />
      <PaperSums lines={sale.receipt_lines} />
      <PaperRule />
      {sale.tenders.map((tender) => (
        <PaperLine key={tender.id} label={tenderName(tender)} value={printMoney(tender.total_money)} />
      ))}
      {sale.refunded_money.amount > 0 && (
        <PaperLine
          label="Given back"
          value={printMoney({ ...sale.refunded_money, amount: -sale.refunded_money.amount })}
        />
      )}
      <PaperRule />
      <PaperLine label="Receipt" value={sale.receipt_number} />
    </Panel>
  );
}
