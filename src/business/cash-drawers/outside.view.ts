/** The wire format of cash that registers took or gave back while no drawer was open for it. */
import { Money, toMoney } from '../../api/money.js';
import { about, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import { CASH_OUTSIDE } from '../figures/drawer.js';
import { addUp } from '../figures/model.js';
import { moneyFields, toMoneyFields } from '../figures/view.js';
import type { OutsideEntry, OutsideSums } from './outside-model.js';

const KINDS = ['SALE', 'REFUND'] as const satisfies OutsideEntry['kind'][];

export const OutsideCash = model('CashOutsideDrawers', {
  taken_count: about('How many payments it was taken for.', Type.Integer()),
  given_back_count: about('How many refunds it was given back for.', Type.Integer()),
  ...moneyFields(CASH_OUTSIDE),
});

export function toOutsideCash(sums: OutsideSums, currency: string): Static<typeof OutsideCash> {
  const figures = addUp(CASH_OUTSIDE, { taken_money: sums.taken, given_back_money: sums.givenBack });
  return {
    taken_count: sums.takenCount,
    given_back_count: sums.givenBackCount,
    ...toMoneyFields(figures, currency),
  };
}

export const OutsideEntryModel = model('CashOutsideDrawersEntry', {
  id: about('The id of the payment or of the refund.', Type.String()),
  kind: about('Cash for a sale, or cash that went back for a refund.', choice(KINDS)),
  at: about('When it was done, as it is recorded.', Time),
  payment_id: about('The payment, or the one that was refunded.', Type.String()),
  amount_money: about('The cash, with the tip. Negative for a refund.', Money),
  location_id: about('The location of the register.', Type.String()),
  device_id: about('The register.', Type.String()),
  device_name: about('The name of the register.', Type.String()),
  employee_id: about('Who did it.', optional(Type.String())),
});

export function toOutsideEntry(entry: OutsideEntry, currency: string): Static<typeof OutsideEntryModel> {
  return {
    id: entry.id,
    kind: entry.kind,
    at: printMilliseconds(entry.createdAt),
    payment_id: entry.paymentId,
    amount_money: toMoney(entry.amount, currency),
    location_id: entry.locationId,
    device_id: entry.deviceId,
    device_name: entry.deviceName,
    ...present({ employee_id: entry.employeeId }),
  };
}
