/** View of bank accounts on the dashboard and sandbox surfaces. */
import { about, Bool, model, type Static, Time, Type, text } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import type { BankAccount } from './model.js';
import { BankAccountTypeSchema } from './v1.view.js';

export const ACCOUNT_FIELDS = {
  bank_name: about('The bank.', text(255, { minLength: 1 })),
  name: about('The holder of the account.', text(255, { minLength: 1 })),
  routing_number: about('The nine digits of the bank (ABA).', text(9)),
  type: about('What kind of account it is.', BankAccountTypeSchema),
};

export const LinkedAccount = model('LinkedBankAccount', {
  id: about('The id of the account.', Type.String()),
  ...ACCOUNT_FIELDS,
  account_number_suffix: about('The last digits of the account number. The rest is not stored.', Type.String()),
  currency: about('The currency of the account, in three letters (ISO 4217).', Type.String()),
  in_force: about('Whether settlements are paid to it.', Bool),
  linked_at: about('When the account was linked.', Time),
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
    in_force: account.isActive,
    linked_at: printMilliseconds(account.linkedAt),
  };
}

export const AccountNumber = about(
  'The number of the account. Only its last digits are stored.',
  Type.String({ pattern: '^[0-9]{4,17}$' }),
);
