/** Cash that a register took or gave back while no drawer was open for it (decision 0221). Pure. */
import { type Amount, add } from '../../base/money.js';
import type { Instant } from '../../base/time.js';

export interface OutsideEntry {
  readonly kind: 'SALE' | 'REFUND';
  /** Of the payment, or of the refund. */
  readonly id: string;
  /** The payment, or the one that was refunded. */
  readonly paymentId: string;
  /** The sale that was paid, or refunded. */
  readonly saleId: string;
  readonly createdAt: Instant;
  /** What it changes: negative for a refund. */
  readonly amount: Amount;
  readonly locationId: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly employeeId: string | null;
}

export interface OutsideSums {
  readonly takenCount: number;
  readonly taken: Amount;
  readonly givenBackCount: number;
  /** Negative. */
  readonly givenBack: Amount;
}

export function sumOutside(entries: readonly Pick<OutsideEntry, 'kind' | 'amount'>[]): OutsideSums {
  const amountsOf = (kind: OutsideEntry['kind']) =>
    entries.filter((entry) => entry.kind === kind).map(({ amount }) => amount);
  const [taken, givenBack] = [amountsOf('SALE'), amountsOf('REFUND')];
  return {
    ...{ takenCount: taken.length, taken: add(...taken) },
    ...{ givenBackCount: givenBack.length, givenBack: add(...givenBack) },
  };
}
