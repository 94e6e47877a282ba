/** What the owner may do with bank accounts. */
import { operation } from '../../api/operation.js';
import { Flag, model, type Static, Time, Type, text } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import { linkBankAccount, putInForce } from './actions.js';
import type { BankAccount } from './model.js';
import { listBankAccounts } from './queries.js';
import { BankAccountTypeWord } from './v1.view.js';

const PATH = '/dashboard/bank-accounts';

const fields = {
  bank_name: text(255, { minLength: 1 }),
  name: text(255, { minLength: 1 }),
  routing_number: text(9),
  type: BankAccountTypeWord,
};

const LinkedAccount = model('LinkedBankAccount', {
  id: Type.String(),
  ...fields,
  account_number_suffix: Type.String(),
  currency: Type.String(),
  in_force: Flag,
  linked_at: Time,
});

function toLinkedAccount(account: BankAccount): Static<typeof LinkedAccount> {
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

const Answer = Type.Object({ bank_account: LinkedAccount });

export const dashboardBankAccountOperations = [
  operation({
    surface: 'dashboard',
    name: 'linkBankAccount',
    method: 'POST',
    path: PATH,
    permission: 'OWNER',
    recentSignIn: true,
    summary: 'Links a bank account; the first one is paid to from the next close on.',
    body: Type.Object({ ...fields, account_number: Type.String({ pattern: '^[0-9]{4,17}$' }) }),
    response: Answer,
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
    summary: 'Lists the bank accounts and tells which one settlements go to.',
    response: Type.Object({ bank_accounts: Type.Array(LinkedAccount) }),
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
    summary: 'Makes settlements go to this bank account from the next close on.',
    response: Answer,
    async handle(context, { params: { bank_account_id } }) {
      return { bank_account: toLinkedAccount(await putInForce(context, bank_account_id)) };
    },
  }),
];
