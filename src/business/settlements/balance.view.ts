/** The dashboard's view of the balance: what is not settled yet, and when it will be. */
import { Money, toMoney } from '../../api/money.js';
import { Flag, model, optional, type Static, Time, Type, wholeNumber } from '../../api/wire.js';
import { type Amount, add, ZERO } from '../../base/money.js';
import { type Instant, printSeconds } from '../../base/time.js';
import type { LocationBalance, SettlementOnItsWay } from './balance-queries.js';
import { visibleFrom } from './model.js';

const BalanceOfLocation = model('LocationBalance', {
  location_id: Type.String(),
  /** The sum of the others. */
  unsettled_money: Money,
  charges_money: Money,
  fees_money: Money,
  refunds_money: Money,
  /** Money of disputed payments: negative while it is held, positive once it is released. */
  disputes_money: Money,
  /** Adjustments, and payouts that the bank returned. */
  other_money: Money,
  entries: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  next_close_at: optional(Time),
  /** From when the settlement of that close is shown. */
  visible_at: optional(Time),
});

const OnItsWay = model('SettlementOnItsWay', {
  location_id: Type.String(),
  total_money: Money,
  initiated_at: Time,
  visible_at: Time,
});

export const Balance = model('Balance', {
  unsettled_money: Money,
  /** Without a bank account in use nothing is settled. */
  has_bank_account: Flag,
  locations: Type.Array(BalanceOfLocation),
  /** Settled at a close, but not shown as a settlement yet. */
  on_its_way: Type.Array(OnItsWay),
});

export interface BalanceParts {
  readonly currency: string;
  readonly hasBankAccount: boolean;
  readonly locations: readonly LocationBalance[];
  readonly onItsWay: readonly SettlementOnItsWay[];
}

export function toBalance({ currency, hasBankAccount, locations, onItsWay }: BalanceParts): Static<typeof Balance> {
  const money = (value: Amount) => toMoney(value, currency);
  const shown = locations.map((location) => ({ location, total: totalOf(location) }));
  return {
    unsettled_money: money(shown.reduce((sum, { total }) => add(sum, total), ZERO)),
    has_bank_account: hasBankAccount,
    locations: shown.map(({ location, total }) => ({
      location_id: location.locationId,
      unsettled_money: money(total),
      charges_money: money(location.charges),
      fees_money: money(location.fees),
      refunds_money: money(location.refunds),
      disputes_money: money(location.disputes),
      other_money: money(location.other),
      entries: location.entries,
      ...(location.nextCloseAt !== null && toClose(location.nextCloseAt)),
    })),
    on_its_way: onItsWay.map(({ locationId, total, initiatedAt, visibleAt }) => ({
      location_id: locationId,
      total_money: money(total),
      initiated_at: printSeconds(initiatedAt),
      visible_at: printSeconds(visibleAt),
    })),
  };
}

function totalOf({ charges, fees, refunds, disputes, other }: LocationBalance): Amount {
  return add(charges, fees, refunds, disputes, other);
}

function toClose(at: Instant) {
  return { next_close_at: printSeconds(at), visible_at: printSeconds(visibleFrom(at)) };
}
