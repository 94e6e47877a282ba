/** The v1 operations on bank accounts. */
import { DEPRECATED_IN_2020, operation } from '../../api/operation.js';
import { Type } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import type { CallerMerchant } from '../../identity/caller.js';
import { requireLocationOrMe } from '../../identity/locations.js';
import { findBankAccount, listBankAccounts } from './queries.js';
import { toV1BankAccount, V1BankAccount } from './v1.view.js';

/** The id that an account shows: that of the location in the path, or with `me` that of the business (decision 0036). */
function shownUnder(merchant: CallerMerchant, locationId: string): string {
  return requireLocationOrMe(merchant, locationId) ?? merchant.id;
}

/** Each location of a merchant lists the same accounts. */
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
      const shownId = shownUnder(merchant, location_id);
      const accounts = await listBankAccounts(database.sql, merchant.id);
      return accounts.map((account) => toV1BankAccount(account, shownId));
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
      const shownId = shownUnder(merchant, location_id);
      const account = await findBankAccount(database.sql, merchant.id, bank_account_id);
      if (!account) throw notFound('bank account', bank_account_id);
      return toV1BankAccount(account, shownId);
    },
  }),
];
