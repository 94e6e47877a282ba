/** The Z report of a generated drawer: of the sales and refunds that the day has at its device. */
import { ZERO } from '../../base/money.js';
import type { Shift } from '../../business/cash-drawers/model.js';
import {
  type DrawerRefund,
  type DrawerSale,
  type StoredReport,
  toStoredReport,
} from '../../business/cash-drawers/report-model.js';
import type { Payment, Refund } from '../../business/payments/model.js';
import { v1IdOf } from '../../business/sales/model.js';
import { type TenderKind, tenderTypeOf } from '../../business/tenders/model.js';
import { isGiftCard } from '../../processor/contract.js';
import type { GeneratedSale } from './register-sales.js';

type Tender = Pick<Payment, 'isExchange' | 'sourceType' | 'cardBrand'>;

/** As the queries of reports say it. */
function reportTenderOf(tender: Tender): TenderKind {
  if (tender.isExchange) return 'EXCHANGE';
  return isGiftCard(tender.cardBrand) ? 'GIFT_CARD' : tenderTypeOf(tender);
}

/** Undefined while the drawer is not closed. */
export function generateReport(
  { state }: Pick<Shift, 'state'>,
  sales: readonly GeneratedSale[],
  refunds: readonly DrawerRefund[],
): StoredReport | undefined {
  if (state !== 'CLOSED') return undefined;
  return toStoredReport({ sales: sales.filter(({ sale }) => sale.state === 'COMPLETED').map(toDrawerSale), refunds });
}

function toDrawerSale({ sale, payments }: GeneratedSale): DrawerSale {
  const { gross, discount, tax, surcharge } = sale.receipt.receipt;
  const taken = payments.map(({ payment }) => payment).filter(({ id }) => sale.tenderIds.includes(id));
  return {
    ...{ id: sale.id, paymentId: v1IdOf(sale), at: sale.createdAt ?? sale.rungUpAt },
    ...{ gross, discount, tax, surcharge },
    tenders: taken.map((payment) => ({
      type: reportTenderOf(payment),
      total: payment.total,
      tip: payment.tip ?? ZERO,
    })),
  };
}

/** `payments` has the one that is refunded. */
export function toDrawerRefund(refund: Refund, payments: readonly (Tender & Pick<Payment, 'id'>)[]): DrawerRefund {
  const payment = payments.find((each) => each.id === refund.paymentId);
  if (!payment) throw new Error('a refund must have a payment');
  const { id, leaderId, paymentId, createdAt: at, amount, status, origin } = refund;
  const type = reportTenderOf({ ...payment, isExchange: origin === 'EXCHANGE' });
  return { ...{ id, leaderId, paymentId, at, type, amount }, hasFailed: status === 'FAILED' };
}
