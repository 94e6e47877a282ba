/** View of bank accounts on the dashboard and sandbox surfaces. */
import { Flag, model, type Static, Time, Type, text } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import type { BankAccount } from './model.js';
import { BankAccountTypeSchema } from './v1.view.js';

export const ACCOUNT_FIELDS = {
  bank_name: text(255, { minLength: 1 }),
  name: text(255, { minLength: 1 }),
  routing_number: text(9),
  type: BankAccountTypeSchema,
};

export const LinkedAccount = model('LinkedBankAccount', {
  id: Type.String(),
  ...ACCOUNT_FIELDS,
  account_number_suffix: Type.String(),
  currency: Type.String(),
  in_force: Flag,
  linked_at: Time,
});

export function toLinkedAccount(account: BankAccount): Static<typeof LinkedAccount> {
  return {
    id: account.id,
    bank_name: account.bankName,
    name: account.name,
    routing_number: account.routingNumber,
    type: account.type,
    account_number_suffix: account.accountNumberSuffix,
    currency: account.currency,
    in_force: account.inForce,
    linked_at: printMilliseconds(account.linkedAt),
  };
}

export const AccountNumber = Type.String({ pattern: '^[0-9]{4,17}$' });
