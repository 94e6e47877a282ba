/** The v1 view of bank accounts, without confidential data (contract 2). */
import { choice, model, type Static, Type } from '../../api/wire.js';
import { BANK_ACCOUNT_TYPES, type BankAccount } from './model.js';

export const BankAccountTypeSchema = choice(BANK_ACCOUNT_TYPES);

export const V1BankAccount = model('V1BankAccount', {
  id: Type.String(),
  merchant_id: Type.String(),
  bank_name: Type.String(),
  name: Type.String(),
  routing_number: Type.String(),
  account_number_suffix: Type.String(),
  currency_code: Type.String(),
  type: BankAccountTypeSchema,
});

/** `merchant_id` is the location from the path (decision 0036). */
export function toV1BankAccount(account: BankAccount, locationId: string): Static<typeof V1BankAccount> {
  return {
    id: account.id,
    merchant_id: locationId,
    bank_name: account.bankName,
    name: account.name,
    routing_number: account.routingNumber,
    account_number_suffix: account.accountNumberSuffix,
    currency_code: account.currency,
    type: account.type,
  };
}
