/** Links bank accounts and selects the account that settlements are paid to. */
import type { MerchantContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import { actorOf, recordAudit } from '../../identity/audit.js';
import { type BankAccount, type BankAccountType, MAX_BANK_ACCOUNTS, requireRoutingNumber, suffixOf } from './model.js';
import { insertBankAccount, lockBankAccounts, updateActiveBankAccount } from './queries.js';

const ID_LENGTH = 24;

export interface NewBankAccount {
  readonly bankName: string;
  readonly name: string;
  readonly type: BankAccountType;
  readonly routingNumber: string;
  readonly accountNumber: string;
}

/** The required part of `MerchantContext`. The sandbox surface, which links accounts for a merchant, has no more. */
type LinkContext = Pick<MerchantContext, 'database' | 'ids' | 'now' | 'keyedHash'> & {
  readonly merchant: Pick<MerchantContext['merchant'], 'id' | 'currency'>;
};

/** The first account of a merchant is active at once. Stores only a suffix and a keyed hash of the account number. */
export async function linkBankAccount(
  context: LinkContext,
  { accountNumber, ...input }: NewBankAccount,
): Promise<BankAccount> {
  const { database, merchant, ids, now, keyedHash } = context;
  const routingNumber = requireRoutingNumber(input.routingNumber);
  return database.transaction(async (tx) => {
    const { length } = await lockBankAccounts(tx, merchant.id);
    if (length >= MAX_BANK_ACCOUNTS) {
      throw new Refusal('WRONG_STATE', { detail: `A merchant can have at most ${MAX_BANK_ACCOUNTS} bank accounts.` });
    }
    const account: BankAccount = {
      ...input,
      id: ids.newId(ID_LENGTH),
      accountNumberSuffix: suffixOf(accountNumber),
      currency: merchant.currency,
      isActive: length === 0,
      linkedAt: now,
    };
    await insertBankAccount(tx, merchant.id, account, keyedHash(`${routingNumber}:${accountNumber}`));
    const details = { bank_account_id: account.id };
    await recordAudit(tx, { kind: 'BANK_ACCOUNT_LINKED', ...actorOf(context), details });
    return account;
  });
}

export async function activateBankAccount(context: MerchantContext, bankAccountId: string): Promise<BankAccount> {
  const { database, merchant } = context;
  return database.transaction(async (tx) => {
    const chosen = (await lockBankAccounts(tx, merchant.id)).find(({ id }) => id === bankAccountId);
    if (!chosen) throw notFound('bank account', bankAccountId);
    await updateActiveBankAccount(tx, merchant.id, bankAccountId);
    const details = { bank_account_id: bankAccountId };
    await recordAudit(tx, { kind: 'BANK_ACCOUNT_PUT_IN_FORCE', ...actorOf(context), details });
    return { ...chosen, isActive: true };
  });
}
