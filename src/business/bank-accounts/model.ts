/** Defines bank accounts, validates routing numbers, and shortens account numbers for storage. */
import { Refusal } from '../../base/errors.js';
import type { Instant } from '../../base/time.js';

export const BANK_ACCOUNT_TYPES = ['BUSINESS_CHECKING', 'CHECKING', 'INVESTMENT', 'LOAN', 'SAVINGS', 'OTHER'] as const;
export type BankAccountType = (typeof BANK_ACCOUNT_TYPES)[number];

export interface BankAccount {
  readonly id: string;
  readonly bankName: string;
  /** The account holder. */
  readonly name: string;
  readonly routingNumber: string;
  readonly type: BankAccountType;
  /** The only part of the account number that is stored in plain text. */
  readonly accountNumberSuffix: string;
  readonly currency: string;
  /** Whether settlements are paid to this account. */
  readonly isActive: boolean;
  readonly linkedAt: Instant;
}

/** Limited because v1 and the dashboard list accounts without pages. */
export const MAX_BANK_ACCOUNTS = 50;

const WEIGHTS = [3, 7, 1];

/**
 * The last digit is a checksum: the weighted sum of the nine digits ends in zero, which detects any single wrong digit.
 */
export function isRoutingNumber(digits: string): boolean {
  if (!/^\d{9}$/.test(digits) || /^0+$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (WEIGHTS[index % 3] ?? 0), 0);
  return sum % 10 === 0;
}

export function requireRoutingNumber(digits: string): string {
  if (isRoutingNumber(digits)) return digits;
  throw new Refusal('INVALID_VALUE', {
    field: 'routing_number',
    detail: 'routing_number is not valid: its checksum is wrong. Check for a wrong or missing digit.',
  });
}

const MAX_SUFFIX_LENGTH = 4;

/** The last four digits, but never more than half of the number (decision 0062). */
export function suffixOf(accountNumber: string): string {
  return accountNumber.slice(-Math.min(MAX_SUFFIX_LENGTH, Math.floor(accountNumber.length / 2)));
}
