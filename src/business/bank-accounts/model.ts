/** What a bank account is, which numbers can be one, and what is kept of them. */
import { Refusal } from '../../base/errors.js';
import type { Instant } from '../../base/time.js';

export const BANK_ACCOUNT_TYPES = ['BUSINESS_CHECKING', 'CHECKING', 'INVESTMENT', 'LOAN', 'SAVINGS', 'OTHER'] as const;
export type BankAccountType = (typeof BANK_ACCOUNT_TYPES)[number];

export interface BankAccount {
  readonly id: string;
  readonly bankName: string;
  /** Whose account it is. */
  readonly name: string;
  readonly routingNumber: string;
  readonly type: BankAccountType;
  /** All that is kept of its number. */
  readonly accountNumberSuffix: string;
  readonly currency: string;
  /** Settlements go to this one. */
  readonly inForce: boolean;
  readonly linkedAt: Instant;
}

/** No list of accounts has pages, so there is an end to them. */
export const MAX_BANK_ACCOUNTS = 50;

const WEIGHTS = [3, 7, 1];

/** The nine digits of a routing number are chosen so that their weighted sum ends in zero; so one wrong digit is found. */
export function isRoutingNumber(digits: string): boolean {
  if (!/^\d{9}$/.test(digits) || /^0+$/.test(digits)) return false;
  const sum = [...digits].reduce((so, digit, index) => so + Number(digit) * (WEIGHTS[index % 3] ?? 0), 0);
  return sum % 10 === 0;
}

export function requireRoutingNumber(digits: string): string {
  if (isRoutingNumber(digits)) return digits;
  throw new Refusal('INVALID_VALUE', {
    field: 'routing_number',
    detail: 'routing_number is not one: its digits do not add up. Look for a wrong or missing digit.',
  });
}

const MAX_SUFFIX_LENGTH = 4;

/** Decision 0062: the last four digits, but never more than half of the number. */
export function suffixOf(accountNumber: string): string {
  return accountNumber.slice(-Math.min(MAX_SUFFIX_LENGTH, Math.floor(accountNumber.length / 2)));
}
