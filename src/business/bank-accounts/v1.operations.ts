/** The first generation's operations on bank accounts, as the contract names them. */
import { DEPRECATED_IN_2020, declared } from '../../api/operation.js';

export const v1BankAccountOperations = [
  declared({
    surface: 'v1',
    name: 'listBankAccounts',
    method: 'GET',
    path: '/v1/{location_id}/bank-accounts',
    permission: 'BANK_ACCOUNTS_READ',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Lists the bank accounts of the business.',
  }),
  declared({
    surface: 'v1',
    name: 'retrieveBankAccount',
    method: 'GET',
    path: '/v1/{location_id}/bank-accounts/{bank_account_id}',
    permission: 'BANK_ACCOUNTS_READ',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Shows one bank account.',
  }),
];
