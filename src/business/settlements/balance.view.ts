/** The dashboard's view of the balance: what is not settled yet, and when it will be. */
import { Money, toMoney } from '../../api/money.js';
import { about, Bool, model, optional, type Static, Time, Type, wholeNumber } from '../../api/wire.js';
import { type Amount, add, ZERO } from '../../base/money.js';
import { type Instant, printSeconds } from '../../base/time.js';
import type { LocationBalance, SettlementOnItsWay } from './balance-queries.js';
import { visibleFrom } from './model.js';

const BalanceOfLocation = model('LocationBalance', {
  location_id: about('The location.', Type.String()),
  unsettled_money: about('What is owed and in no settlement yet: the sum of the following amounts.', Money),
  charges_money: about('Money that was taken.', Money),
  fees_money: about('Fees. Negative.', Money),
  refunds_money: about('Money that went back. Negative.', Money),
  disputes_money: about('Money of disputed payments: negative while it is held, positive once it is released.', Money),
  other_money: about('Adjustments, and payouts that the bank returned.', Money),
  entries: about('How many movements there are.', wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  next_close_at: about('When these movements become a settlement. Absent if no close is scheduled.', optional(Time)),
  visible_at: about('From when the settlement of that close is shown.', optional(Time)),
});

const OnItsWay = model('SettlementOnItsWay', {
  location_id: about('The location.', Type.String()),
  total_money: about('The amount that the bank account gets.', Money),
  initiated_at: about('When it was sent to the bank.', Time),
  visible_at: about('When the settlement can be seen.', Time),
});

export const Balance = model('Balance', {
  unsettled_money: about('What is owed and in no settlement yet, of all locations.', Money),
  has_bank_account: about('Whether there is a bank account in use. Without one nothing is settled.', Bool),
  locations: about('What each location is owed.', Type.Array(BalanceOfLocation)),
  on_its_way: about('What was settled at a close, but is not shown as a settlement yet.', Type.Array(OnItsWay)),
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
