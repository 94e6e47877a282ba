/** The v1 view of bank accounts, without confidential data (contract 2). */
import { about, choice, model, type Static, Type } from '../../api/wire.js';
import { BANK_ACCOUNT_TYPES, type BankAccount } from './model.js';

export const BankAccountTypeSchema = choice(BANK_ACCOUNT_TYPES);

export const V1BankAccount = model('V1BankAccount', {
  id: about('The id of the bank account.', Type.String()),
  merchant_id: about('The id of the location from the path, or with `me` of the business.', Type.String()),
  bank_name: about('The name of the bank.', Type.String()),
  name: about('The name of the account holder.', Type.String()),
  routing_number: about('The routing number of the bank.', Type.String()),
  account_number_suffix: about('The last few digits of the account number.', Type.String()),
  currency_code: about('The currency of the account, in three letters.', Type.String()),
  type: about('The kind of account.', BankAccountTypeSchema),
});

export function toV1BankAccount(account: BankAccount, merchantId: string): Static<typeof V1BankAccount> {
  return {
    id: account.id,
    merchant_id: merchantId,
    bank_name: account.bankName,
    name: account.name,
    routing_number: account.routingNumber,
    account_number_suffix: account.accountNumberSuffix,
    currency_code: account.currency,
    type: account.type,
  };
}
