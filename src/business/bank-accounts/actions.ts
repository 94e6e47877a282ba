/** Links bank accounts and chooses which one settlements go to. */
import type { MerchantContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import { actorOf, recordAudit } from '../../identity/audit.js';
import { type BankAccount, type BankAccountType, MOST_ACCOUNTS, requireRoutingNumber, suffixOf } from './model.js';
import { insertBankAccount, lockBankAccounts, updateInForce } from './queries.js';

const ID_LENGTH = 24;

export interface NewBankAccount {
  readonly bankName: string;
  readonly name: string;
  readonly type: BankAccountType;
  readonly routingNumber: string;
  readonly accountNumber: string;
}

/** Whose account it is to be, and what is needed to keep it. */
type Linking = Pick<MerchantContext, 'database' | 'ids' | 'now' | 'keyedHash'> & {
  readonly merchant: Pick<MerchantContext['merchant'], 'id' | 'currency'>;
};

/** The first one is in force at once, others when they are chosen. Of the number only a part and a keyed hash are kept. */
export async function linkBankAccount(
  context: Linking,
  { accountNumber, ...given }: NewBankAccount,
): Promise<BankAccount> {
  const { database, merchant, ids, now, keyedHash } = context;
  const routingNumber = requireRoutingNumber(given.routingNumber);
  return database.transaction(async (tx) => {
    const { length } = await lockBankAccounts(tx, merchant.id);
    if (length >= MOST_ACCOUNTS) {
      throw new Refusal('WRONG_STATE', { detail: `A merchant has ${MOST_ACCOUNTS} bank accounts at most.` });
    }
    const account: BankAccount = {
      ...given,
      id: ids.newId(ID_LENGTH),
      accountNumberSuffix: suffixOf(accountNumber),
      currency: merchant.currency,
      inForce: length === 0,
      linkedAt: now,
    };
    await insertBankAccount(tx, merchant.id, account, keyedHash(`${routingNumber}:${accountNumber}`));
    const details = { bank_account_id: account.id };
    await recordAudit(tx, { kind: 'BANK_ACCOUNT_LINKED', ...actorOf(context), details });
    return account;
  });
}

export async function putInForce(context: MerchantContext, bankAccountId: string): Promise<BankAccount> {
  const { database, merchant } = context;
  return database.transaction(async (tx) => {
    const chosen = (await lockBankAccounts(tx, merchant.id)).find(({ id }) => id === bankAccountId);
    if (!chosen) throw notFound('bank account', bankAccountId);
    await updateInForce(tx, merchant.id, bankAccountId);
    const details = { bank_account_id: bankAccountId };
    await recordAudit(tx, { kind: 'BANK_ACCOUNT_PUT_IN_FORCE', ...actorOf(context), details });
    return { ...chosen, inForce: true };
  });
}
