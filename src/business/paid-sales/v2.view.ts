/** The v2 schema and the v2 view of transactions: sales with their tenders and refunds. */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { subtract, ZERO } from '../../base/money.js';
import type { PostalAddress } from '../../base/postal-address.js';
import { printMilliseconds } from '../../base/time.js';
import { isGiftCard } from '../../processor/contract.js';
import { Address } from '../merchants/address.view.js';
import { CARD_STATUS, Card } from '../payments/v2.view.js';
import type { SaleKind } from '../sales/model.js';
import { tenderTypeOf } from '../tenders/model.js';
import type { PaidSale, Tender as PaidTender, TenderRefund } from './model.js';
import type { TenderDetails } from './transaction-queries.js';

const TenderCardDetails = model('TenderCardDetails', {
  status: about('Whether the card was authorized, charged, released or declined.', choice(Object.values(CARD_STATUS))),
  card: about('The brand, the last digits and the like. Never the number.', optional(Card)),
  entry_method: about('How the card was read.', optional(choice(['SWIPED', 'KEYED', 'EMV', 'ON_FILE', 'CONTACTLESS']))),
});

const Tender = model('Tender', {
  id: about('The id of the tender.', Type.String()),
  location_id: about('The location of the sale.', Type.String()),
  transaction_id: about('The transaction that the tender belongs to.', Type.String()),
  created_at: about('When the tender was taken.', Time),
  note: about('A note about the tender.', optional(Type.String())),
  amount_money: about('The amount of the tender, with its tip.', Money),
  tip_money: about('The tip within the amount.', optional(Money)),
  processing_fee_money: about('The processing fee.', Money),
  customer_id: about('The customer who paid.', optional(Type.String())),
  type: about(
    'How the buyer paid.',
    choice(['CARD', 'CASH', 'THIRD_PARTY_CARD', 'SQUARE_GIFT_CARD', 'NO_SALE', 'OTHER']),
  ),
  card_details: about('The card and what happened with it.', optional(TenderCardDetails)),
  cash_details: about(
    'The cash and the change.',
    optional(
      model('TenderCashDetails', {
        buyer_tendered_money: about('The cash that the buyer handed over.', Money),
        change_back_money: about('The change that the buyer got.', Money),
      }),
    ),
  ),
  payment_id: about('The payment of the second generation that the tender is.', optional(Type.String())),
});

const Refund = model('Refund', {
  id: about('The id of the refund.', Type.String()),
  location_id: about('The location of the sale.', Type.String()),
  transaction_id: about('The transaction that was refunded.', Type.String()),
  tender_id: about('The tender that was refunded.', Type.String()),
  created_at: about('When the refund was made.', Time),
  reason: about('Why it was refunded.', optional(Type.String())),
  amount_money: about('What was refunded.', Money),
  status: about('Whether the money has gone back.', choice(['PENDING', 'APPROVED', 'REJECTED', 'FAILED'])),
  processing_fee_money: about('The part of the processing fee that the merchant got back.', optional(Money)),
});

export const Transaction = model('Transaction', {
  id: about('The id of the transaction.', Type.String()),
  location_id: about('The location of the sale.', Type.String()),
  created_at: about('When the sale was made.', Time),
  tenders: about('The tenders of the sale.', Type.Array(Tender)),
  refunds: about('The refunds of the sale.', optional(Type.Array(Refund))),
  reference_id: about('The id of the sale in another system.', optional(Type.String())),
  product: about(
    'Where the sale was made.',
    choice(['REGISTER', 'EXTERNAL_API', 'BILLING', 'APPOINTMENTS', 'INVOICES', 'ONLINE_STORE', 'PAYROLL', 'OTHER']),
  ),
  shipping_address: about('The shipping address of the buyer.', optional(Address)),
  order_id: about('The order that the sale belongs to.', optional(Type.String())),
});

export interface TransactionDetails {
  readonly currency: string;
  readonly tenders: ReadonlyMap<string, TenderDetails>;
}

const PRODUCTS = {
  API: 'EXTERNAL_API',
  REGISTER: 'REGISTER',
  ONLINE_STORE: 'ONLINE_STORE',
} as const satisfies Record<SaleKind, string>;

/** The fields that an application sent with its payment. */
interface ApplicationFields {
  readonly note?: string;
  readonly customer_id?: string;
  readonly reference_id?: string;
  readonly order_id?: string;
  readonly shipping_address?: PostalAddress;
}

export function toTransaction(sale: PaidSale, known: TransactionDetails): Static<typeof Transaction> {
  const [first] = sale.tenders;
  const { reference_id, shipping_address, order_id } = applicationFields(first && known.tenders.get(first.id));
  return {
    id: sale.id,
    location_id: sale.locationId,
    created_at: printMilliseconds(sale.createdAt),
    tenders: sale.tenders.map((tender) => toTender(tender, sale, known)),
    ...(sale.refunds.length > 0 && { refunds: sale.refunds.map((refund) => toRefund(refund, sale)) }),
    ...present({ reference_id, shipping_address, order_id }),
    product: PRODUCTS[sale.kind],
  };
}

function applicationFields(details: TenderDetails | undefined): ApplicationFields {
  return details ? JSON.parse(details.details) : {};
}

function toTender(
  tender: PaidTender,
  sale: PaidSale,
  { currency, tenders }: TransactionDetails,
): Static<typeof Tender> {
  const details = tenders.get(tender.id);
  const { note, customer_id } = applicationFields(details);
  const { total, tendered, tip, fee } = tender;
  return {
    id: tender.id,
    location_id: sale.locationId,
    transaction_id: sale.id,
    created_at: printMilliseconds(tender.capturedAt),
    ...present({ note, customer_id }),
    amount_money: toMoney(total, currency),
    ...(tip !== null && { tip_money: toMoney(tip, currency) }),
    processing_fee_money: toMoney(fee ?? ZERO, currency),
    type: typeOf(tender),
    ...(tender.sourceType === 'CARD' && details && { card_details: toCardDetails(details), payment_id: tender.id }),
    ...(tender.sourceType === 'CASH' && {
      cash_details: {
        buyer_tendered_money: toMoney(tendered ?? total, currency),
        change_back_money: toMoney(subtract(tendered ?? total, total), currency),
      },
    }),
  };
}

function typeOf(tender: PaidTender): Static<typeof Tender>['type'] {
  if (tenderTypeOf(tender) === 'EXTERNAL_CARD') return 'THIRD_PARTY_CARD';
  return isGiftCard(tender.cardBrand) ? 'SQUARE_GIFT_CARD' : tender.sourceType;
}

function toCardDetails({ status, cardDetails }: TenderDetails): Static<typeof TenderCardDetails> {
  const { card, entry_method } = cardDetails === null ? {} : JSON.parse(cardDetails);
  return { status: CARD_STATUS[status], ...present({ card, entry_method }) };
}

function toRefund(refund: TenderRefund, sale: PaidSale): Static<typeof Refund> {
  const { currency, returnedFee, reason } = refund;
  return {
    id: refund.id,
    location_id: refund.locationId,
    transaction_id: sale.id,
    tender_id: refund.paymentId,
    created_at: printMilliseconds(refund.createdAt),
    ...present({ reason }),
    amount_money: toMoney(refund.amount, currency),
    // Transactions use the older status name APPROVED for a completed refund.
    status: refund.status === 'COMPLETED' ? 'APPROVED' : refund.status,
    ...(returnedFee !== null && { processing_fee_money: toMoney(returnedFee, currency) }),
  };
}
