/** The v2 operations on bank accounts. All of them go beyond the contract (decision 0103). */
import { listOperation, operation } from '../../api/operation.js';
import { about, model, optional, type Static, Type, text } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import type { Database } from '../../database/database.js';
import type { CallerMerchant } from '../../identity/caller.js';
import { findBankAccountWithCountry, listBankAccountPage } from './queries.js';
import { BankAccount, toBankAccount } from './v2.view.js';

const BankAccountResponse = model('BankAccountResponse', { bank_account: about('The bank account.', BankAccount) });

async function showBankAccount(
  { database, merchant }: { readonly database: Database; readonly merchant: CallerMerchant },
  id: string,
): Promise<Static<typeof BankAccountResponse>> {
  const account = await findBankAccountWithCountry(database.sql, merchant.id, id);
  if (!account) throw notFound('bank account', id);
  return { bank_account: toBankAccount(account) };
}

export const v2BankAccountOperations = [
  listOperation({
    surface: 'v2',
    name: 'listBankAccounts',
    method: 'GET',
    path: '/v2/bank-accounts',
    permission: 'BANK_ACCOUNTS_READ',
    beyondContract: true,
    summary: 'Lists the bank accounts of the business.',
    page: { token: 'cursor', limit: { default: 1000, max: 1000, over: 'cap' }, keys: ['bank_accounts'] },
    query: Type.Object({
      location_id: about('Only bank accounts of this location.', optional(text())),
      customer_id: about(
        'Only bank accounts of this customer. Tillhouse has none, so the list is empty.',
        optional(text()),
      ),
    }),
    item: BankAccount,
    async handle({ database, merchant }, { query, page }) {
      const hasLocation = merchant.locations.some(({ id }) => id === (query.location_id ?? id));
      // Accounts belong to merchants, never to customers, and a caller sees only the locations of its own merchant.
      if (query.customer_id !== undefined || !hasLocation) return { items: [], next: undefined };
      const { items, next } = await listBankAccountPage(database.sql, merchant.id, page);
      return { items: items.map(toBankAccount), next };
    },
  }),

  operation({
    surface: 'v2',
    name: 'retrieveBankAccount',
    method: 'GET',
    path: '/v2/bank-accounts/{bank_account_id}',
    permission: 'BANK_ACCOUNTS_READ',
    beyondContract: true,
    summary: 'Shows one bank account.',
    response: BankAccountResponse,
    handle: (context, { params: { bank_account_id } }) => showBankAccount(context, bank_account_id),
  }),

  operation({
    surface: 'v2',
    name: 'retrieveBankAccountByV1Id',
    method: 'GET',
    path: '/v2/bank-accounts/by-v1-id/{v1_bank_account_id}',
    permission: 'BANK_ACCOUNTS_READ',
    beyondContract: true,
    summary: 'Shows one bank account by its v1 id, which is equal to its v2 id.',
    response: BankAccountResponse,
    handle: (context, { params: { v1_bank_account_id } }) => showBankAccount(context, v1_bank_account_id),
  }),
];
