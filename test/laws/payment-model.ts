/** A second, simple implementation of payments and refunds: no database, no races, no code of src. */

export type Status = 'APPROVED' | 'COMPLETED' | 'CANCELED' | 'FAILED';
type Action = 'COMPLETE' | 'CANCEL';

export interface NewPayment {
  readonly source: keyof typeof SOURCES;
  readonly amount: number;
  readonly tip: number | null;
  readonly appFee: number | null;
  readonly autocomplete: boolean;
  readonly partial: boolean;
}

/** The outcome of charging a source: an approval, a decline or a refusal. */
export const SOURCES = {
  'cnon:card-nonce-ok': 'APPROVED',
  'cnon:gift-card-nonce-ok': 'APPROVED',
  'ccof:customer-card-id-ok': 'APPROVED',
  'cnon:card-nonce-declined': 'GENERIC_DECLINE',
  'cnon:card-nonce-rejected-cvv': 'CVV_FAILURE',
  'cnon:gift-card-nonce-insufficient-funds': 'HALF',
  'cnon:card-nonce-already-used': 'CARD_TOKEN_USED',
  'cnon:nobody-knows-me': 'NOT_FOUND',
} as const;

export interface ModelRefund {
  id: string;
  readonly key: string;
  readonly amount: number;
  /** The amount that the application named; null if its share is in proportion. */
  readonly appFee: number | null;
  readonly createdAt: number;
  status: 'PENDING' | 'COMPLETED' | 'FAILED';
}

export interface ModelPayment {
  /** The model's id, which is sent in `reference_id`. */
  readonly label: string;
  readonly given: NewPayment;
  readonly createdAt: number;
  id: string;
  /** Undefined: the processor has not responded, and the payment is not visible. */
  status: Status | undefined;
  /** Holds the key with which it was created. */
  hasKey: boolean;
  cancelAfter: boolean;
  amount: number;
  total: number;
  decline: string | undefined;
  captured: boolean;
  /** The call to the processor has no response. */
  underWay: Action | undefined;
  returned: number;
  appFeeReturned: number;
  blocked: boolean;
  readonly refunds: ModelRefund[];
}

/** The expected response: a status, and the code of a refusal. */
export interface Expected {
  readonly status: number;
  readonly code?: string;
}

export type Effect = 'DECLINE' | 'TIME_OUT' | 'FAIL_REFUND' | 'DELAY';

const OK: Expected = { status: 200 };
const UNKNOWN: Expected = { status: 503, code: 'TEMPORARY_ERROR' };
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const REFUND_MS = 3000;
const MAX_REFUNDS = 20;

function refuse(code: string, status = 400): Expected {
  return { status, code };
}

/** Rounds half up; only for values that are not negative. */
function portion(value: number, numerator: number, denominator: number): number {
  return Math.floor((2 * value * numerator + denominator) / (2 * denominator));
}

export function feeOf(total: number): number {
  return portion(total, 29, 1000) + 30;
}

export function refundedOf({ refunds }: ModelPayment): number {
  return refunds.filter(({ status }) => status !== 'FAILED').reduce((sum, { amount }) => sum + amount, 0);
}

export class PaymentModel {
  now: number;
  rule: { effect: Effect; remaining: number } | undefined;
  readonly payments: ModelPayment[] = [];

  constructor(now: number) {
    this.now = now;
  }

  /** Whether the rule applies to a call of that kind. Delays and timeouts apply to every call. */
  #meet(own: readonly Effect[] = []): Effect | undefined {
    const { rule } = this;
    if (!rule || rule.remaining === 0 || !['DELAY', 'TIME_OUT', ...own].includes(rule.effect)) return undefined;
    rule.remaining--;
    return rule.effect;
  }

  create(label: string, given: NewPayment): { expected: Expected; payment?: ModelPayment } {
    const total = given.amount + (given.tip ?? 0);
    if (given.appFee !== null && given.appFee > Math.floor((total * 9) / 10)) {
      return { expected: refuse('INVALID_FEES') };
    }
    if (given.autocomplete && given.partial) return { expected: refuse('CONFLICTING_PARAMETERS') };
    const payment: ModelPayment = {
      label,
      given,
      createdAt: this.now,
      id: '',
      status: undefined,
      hasKey: true,
      cancelAfter: false,
      amount: given.amount,
      total,
      decline: undefined,
      captured: false,
      underWay: undefined,
      returned: 0,
      appFeeReturned: 0,
      blocked: false,
      refunds: [],
    };
    const expected = this.#authorize(payment);
    const isLeft = payment.status !== undefined || expected.status === 503;
    if (isLeft) this.payments.push(payment);
    return isLeft ? { expected, payment } : { expected };
  }

  #authorize(payment: ModelPayment): Expected {
    const { source, tip, appFee, partial, autocomplete } = payment.given;
    const outcome = SOURCES[source];
    const rule = this.#meet(outcome === 'NOT_FOUND' ? [] : ['DECLINE']);
    if (rule === 'TIME_OUT') return UNKNOWN;
    const decline = (code: string): Expected => {
      payment.status = 'FAILED';
      payment.decline = code;
      return refuse(code);
    };
    if (rule === 'DECLINE') return decline('GENERIC_DECLINE');
    switch (outcome) {
      case 'NOT_FOUND':
        return refuse('NOT_FOUND', 404);
      case 'CARD_TOKEN_USED':
        return refuse('CARD_TOKEN_USED');
      case 'GENERIC_DECLINE':
      case 'CVV_FAILURE':
        return decline(outcome);
      case 'HALF': {
        const balance = payment.total === 1 ? 0 : portion(payment.total, 1, 2);
        if (!partial || tip !== null || appFee !== null || balance === 0) return decline('INSUFFICIENT_FUNDS');
        payment.amount = balance;
        payment.total = balance;
        break;
      }
      case 'APPROVED':
        break;
    }
    payment.status = autocomplete ? 'COMPLETED' : 'APPROVED';
    payment.captured = autocomplete;
    if (payment.cancelAfter) this.#reverseOrVoid(payment);
    return OK;
  }

  /** Retries the same create request. */
  createAgain(payment: ModelPayment): Expected {
    const expected = payment.status === undefined ? this.#authorize(payment) : OK;
    if (payment.status === undefined && expected.status !== 503) this.#forget(payment);
    return payment.decline === undefined ? expected : refuse(payment.decline);
  }

  #forget(payment: ModelPayment): void {
    this.payments.splice(this.payments.indexOf(payment), 1);
  }

  move(payment: ModelPayment, action: Action): Expected {
    if (payment.status !== 'APPROVED') return refuse('BAD_REQUEST');
    const hasRules = (this.rule?.remaining ?? 0) > 0;
    if (hasRules && payment.underWay !== undefined && payment.underWay !== action) return UNKNOWN;
    if (this.#meet() === 'TIME_OUT') {
      payment.underWay = action;
      return UNKNOWN;
    }
    payment.underWay = undefined;
    payment.status = action === 'COMPLETE' ? 'COMPLETED' : 'CANCELED';
    payment.captured = action === 'COMPLETE';
    return OK;
  }

  cancelByKey(payment: ModelPayment): Expected {
    if (!payment.hasKey) return OK;
    payment.hasKey = false;
    if (payment.status === undefined) payment.cancelAfter = true;
    else this.#reverseOrVoid(payment);
    return OK;
  }

  #reverseOrVoid(payment: ModelPayment): void {
    if (payment.status === 'COMPLETED') this.#giveBack(payment, payment.total - refundedOf(payment), null);
    if (payment.status !== 'FAILED') payment.status = 'CANCELED';
    payment.underWay = undefined;
  }

  #giveBack(payment: ModelPayment, part: number, namedAppFee: number | null): void {
    const { given, total, returned } = payment;
    const share = portion(given.appFee ?? 0, returned + part, total) - portion(given.appFee ?? 0, returned, total);
    payment.appFeeReturned += namedAppFee ?? Math.min(share, this.#remainingAppFee(payment));
    payment.returned += part;
  }

  /** Neither refunded nor reserved for a refund. */
  #remainingAppFee({ given, appFeeReturned, refunds }: ModelPayment): number {
    const promised = refunds.filter(({ status }) => status === 'PENDING');
    return (given.appFee ?? 0) - appFeeReturned - promised.reduce((sum, { appFee }) => sum + (appFee ?? 0), 0);
  }

  refund(
    payment: ModelPayment,
    given: Pick<ModelRefund, 'key' | 'amount' | 'appFee'>,
  ): { expected: Expected; refund?: ModelRefund } {
    const { status, refunds, blocked, createdAt, total } = payment;
    const oneYearLater = new Date(createdAt);
    oneYearLater.setUTCFullYear(oneYearLater.getUTCFullYear() + 1);
    if (status !== 'COMPLETED' || blocked || this.now > oneYearLater.getTime() || refunds.length >= MAX_REFUNDS) {
      return { expected: refuse('PAYMENT_NOT_REFUNDABLE') };
    }
    if (given.amount > total - refundedOf(payment)) return { expected: refuse('REFUND_AMOUNT_INVALID') };
    const { appFee } = given;
    const isTooMuch = appFee !== null && (appFee > given.amount || appFee > this.#remainingAppFee(payment));
    if (appFee !== null && (payment.given.appFee === null || isTooMuch)) return { expected: refuse('INVALID_FEES') };
    const refund: ModelRefund = { ...given, id: '', createdAt: this.now, status: 'PENDING' };
    refunds.push(refund);
    return { expected: OK, refund };
  }

  /** Advances the time and does the due work, oldest first, refunds before voids of the same moment. */
  advance(ms: number): void {
    this.now += ms;
    const due = this.payments.flatMap((payment) => [
      ...payment.refunds
        .filter(({ status }) => status === 'PENDING')
        .map((refund) => ({ at: refund.createdAt + REFUND_MS, order: 0, do: () => this.#finish(payment, refund) })),
      ...(payment.status === 'APPROVED'
        ? [{ at: payment.createdAt + WEEK_MS, order: 1, do: () => this.#expire(payment) }]
        : []),
    ]);
    due.sort((a, b) => a.at - b.at || a.order - b.order);
    for (const work of due) if (work.at <= this.now) work.do();
  }

  #finish(payment: ModelPayment, refund: ModelRefund): void {
    const rule = this.#meet(['FAIL_REFUND']);
    if (rule === 'TIME_OUT') return;
    refund.status = rule === 'FAIL_REFUND' ? 'FAILED' : 'COMPLETED';
    if (refund.status === 'COMPLETED') this.#giveBack(payment, refund.amount, refund.appFee);
    else {
      payment.blocked = true;
      if (payment.status === 'CANCELED') this.#giveBack(payment, refund.amount, null);
    }
  }

  #expire(payment: ModelPayment): void {
    if (payment.underWay === 'COMPLETE') return; // its outcome decides
    if (this.#meet() === 'TIME_OUT') return;
    payment.status = 'CANCELED';
    payment.underWay = undefined;
  }

  /** A worker retries all unknown calls, and now every call gets a response. */
  resolveAll(): void {
    this.rule = undefined;
    for (const payment of [...this.payments]) {
      if (payment.status === undefined) {
        this.#authorize(payment);
        if (payment.status === undefined) this.#forget(payment);
      } else if (payment.underWay) this.move(payment, payment.underWay);
    }
  }
}
