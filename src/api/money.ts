/** The wire formats of money. v1 and v2 use different names for the currency. */
import { Refusal } from '../base/errors.js';
import { type Amount, amount, MAX_AMOUNT } from '../base/money.js';
import { about, model, type Static, Type } from './wire.js';

export const V1Money = model('V1Money', {
  amount: about('The amount in the smallest unit of the currency, for example cents.', Type.Integer()),
  currency_code: about('The currency, in three letters (ISO 4217).', Type.String()),
});
export const Money = model('Money', {
  amount: about('The amount in the smallest unit of the currency, for example cents.', Type.Integer()),
  currency: about('The currency, in three letters (ISO 4217).', Type.String()),
});

export function toV1Money(value: Amount, currency: string): Static<typeof V1Money> {
  return { amount: value, currency_code: currency };
}

/** `toV1Money` as JSON text, for views that print their own JSON. */
export function printV1Money(value: Amount, currency: string): string {
  return `{"amount":${value},"currency_code":"${currency}"}`;
}

/** `toMoney` as JSON text. */
export function printMoney(value: Amount, currency: string): string {
  return `{"amount":${value},"currency":"${currency}"}`;
}

export function toMoney(value: Amount, currency: string): Static<typeof Money> {
  return { amount: value, currency };
}

/** Money in a request. The allowed values depend on the merchant, so `fromWireAmount` checks them. */
export const WireAmount = Type.Object({
  amount: about('The amount in the smallest unit of the currency, for example cents.', Type.Integer()),
  currency: about(
    "The currency in three letters. By default the merchant's.",
    Type.Optional(Type.String({ maxLength: 3 })),
  ),
});

/** Money in a request of the published API, where the currency is required. */
export const MoneyInput = Type.Object({
  amount: about('The amount in the smallest unit of the currency, for example cents.', Type.Integer()),
  currency: about("The merchant's currency, in three letters (ISO 4217).", Type.String({ maxLength: 3 })),
});

export function fromWireAmount(
  { amount: given, currency: named }: Static<typeof WireAmount>,
  { currency, field, least, most = MAX_AMOUNT }: { currency: string; field: string; least: number; most?: number },
): Amount {
  if (given < least) {
    throw new Refusal('VALUE_TOO_LOW', {
      field: `${field}.amount`,
      detail: `${field}.amount must be at least ${least}.`,
    });
  }
  if (given > most) {
    throw new Refusal('VALUE_TOO_HIGH', {
      field: `${field}.amount`,
      detail: `${field}.amount must be at most ${most}.`,
    });
  }
  if (named !== undefined && named !== currency) {
    throw new Refusal('INVALID_VALUE', {
      field: `${field}.currency`,
      detail: `${field}.currency is ${named}, but this merchant's currency is ${currency}.`,
    });
  }
  return amount(given);
}
