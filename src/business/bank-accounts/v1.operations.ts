/** The v1 operations on bank accounts. */
import { DEPRECATED_IN_2020, operation } from '../../api/operation.js';
import { Type } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { requireLocation } from '../../identity/locations.js';
import { findBankAccount, listBankAccounts } from './queries.js';
import { toV1BankAccount, V1BankAccount } from './v1.view.js';

/** Each location of a merchant lists the same accounts; `me` is not accepted as a location (decision 0036). */
export const v1BankAccountOperations = [
  operation({
    surface: 'v1',
    name: 'listBankAccounts',
    method: 'GET',
    path: '/v1/{location_id}/bank-accounts',
    permission: 'BANK_ACCOUNTS_READ',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Lists the bank accounts of the business.',
    response: Type.Array(V1BankAccount),
    async handle({ database, merchant }, { params: { location_id } }) {
      requireLocation(merchant, location_id);
      const accounts = await listBankAccounts(database.sql, merchant.id);
      return accounts.map((account) => toV1BankAccount(account, location_id));
    },
  }),

  operation({
    surface: 'v1',
    name: 'retrieveBankAccount',
    method: 'GET',
    path: '/v1/{location_id}/bank-accounts/{bank_account_id}',
    permission: 'BANK_ACCOUNTS_READ',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Shows one bank account.',
    response: V1BankAccount,
    async handle({ database, merchant }, { params: { location_id, bank_account_id } }) {
      requireLocation(merchant, location_id);
      const account = await findBankAccount(database.sql, merchant.id, bank_account_id);
      if (!account) throw notFound('bank account', bank_account_id);
      return toV1BankAccount(account, location_id);
    },
  }),
];
