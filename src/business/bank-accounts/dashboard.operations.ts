/** Dashboard operations on bank accounts. */
import { operation } from '../../api/operation.js';
import { about, Type } from '../../api/wire.js';
import { activateBankAccount, linkBankAccount } from './actions.js';
import { listBankAccounts } from './queries.js';
import { ACCOUNT_FIELDS, AccountNumber, LinkedAccount, toLinkedAccount } from './view.js';

const PATH = '/api/dashboard/bank-accounts';

const BankAccountResponse = Type.Object({ bank_account: about('The account after the change.', LinkedAccount) });

export const dashboardBankAccountOperations = [
  operation({
    surface: 'dashboard',
    name: 'linkBankAccount',
    method: 'POST',
    path: PATH,
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Links a bank account. Settlements are paid to the first one from the next close of a day.',
    body: Type.Object({ ...ACCOUNT_FIELDS, account_number: AccountNumber }),
    example: {
      body: {
        bank_name: 'First Bank',
        name: 'Juniper & Rye',
        type: 'CHECKING',
        routing_number: '021000021',
        account_number: '000123456789',
      },
    },
    response: BankAccountResponse,
    async handle(context, { body }) {
      const account = await linkBankAccount(context, {
        bankName: body.bank_name,
        name: body.name,
        type: body.type,
        routingNumber: body.routing_number,
        accountNumber: body.account_number,
      });
      return { bank_account: toLinkedAccount(account) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'listBankAccounts',
    method: 'GET',
    path: PATH,
    permission: 'OWNER',
    summary: 'Lists the bank accounts and shows which one settlements are paid to.',
    response: Type.Object({
      bank_accounts: about('All linked accounts. One of them is active.', Type.Array(LinkedAccount)),
    }),
    async handle({ database, merchant }) {
      return { bank_accounts: (await listBankAccounts(database.sql, merchant.id)).map(toLinkedAccount) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'putBankAccountInForce',
    method: 'POST',
    path: `${PATH}/{bank_account_id}/put-in-force`,
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Pays settlements to this bank account from the next close of a day.',
    response: BankAccountResponse,
    async handle(context, { params: { bank_account_id } }) {
      return { bank_account: toLinkedAccount(await activateBankAccount(context, bank_account_id)) };
    },
  }),
];
