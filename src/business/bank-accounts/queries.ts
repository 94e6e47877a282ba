/** SQL for bank accounts. */
import type { Sql, Tx } from '../../database/database.js';
import { type Page, type PageRequest, pageClause, toPage } from '../../database/keyset.js';
import type { BankAccount } from './model.js';

/** The column aliases match the model, so a row is a `BankAccount` without conversion. */
const columns = (sql: Sql) => sql`
  bank_account_id as id, bank_name, name, routing_number, type, account_number_suffix, currency, in_force as is_active, linked_at`;

export async function findBankAccount(
  sql: Sql,
  merchantId: string,
  bankAccountId: string,
): Promise<BankAccount | undefined> {
  const [row] = await sql<BankAccount[]>`
    select ${columns(sql)}
    from bank_accounts
    where merchant_id = ${merchantId} and bank_account_id = ${bankAccountId}`;
  return row;
}

/** All accounts of a merchant, in the order in which they were linked. */
export async function listBankAccounts(sql: Sql, merchantId: string): Promise<BankAccount[]> {
  return sql<BankAccount[]>`
    select ${columns(sql)}
    from bank_accounts
    where merchant_id = ${merchantId}
    order by linked_at, bank_account_id`;
}

/** An account with the country of its merchant. Accounts have no country of their own. */
export type BankAccountWithCountry = BankAccount & { readonly country: string };

/** One page of accounts, in the order in which they were linked. */
export async function listBankAccountPage(
  sql: Sql,
  merchantId: string,
  page: PageRequest,
): Promise<Page<BankAccountWithCountry>> {
  const rows = await sql<BankAccountWithCountry[]>`
    select ${columns(sql)}, ${countryOf(sql, merchantId)}
    from bank_accounts
    where merchant_id = ${merchantId}
    ${pageClause(sql, { at: 'linked_at', id: 'bank_account_id' }, page, 'ASC')}`;
  return toPage(rows, page.limit, ({ linkedAt, id }) => ({ at: linkedAt, id }));
}

export async function findBankAccountWithCountry(
  sql: Sql,
  merchantId: string,
  bankAccountId: string,
): Promise<BankAccountWithCountry | undefined> {
  const [row] = await sql<BankAccountWithCountry[]>`
    select ${columns(sql)}, ${countryOf(sql, merchantId)}
    from bank_accounts
    where merchant_id = ${merchantId} and bank_account_id = ${bankAccountId}`;
  return row;
}

const countryOf = (sql: Sql, merchantId: string) => sql`
  (
    select country
    from merchants
    where merchant_id = ${merchantId}
  ) as country`;

/** Lists the accounts and locks the merchant, so no other transaction can link or activate an account meanwhile. */
export async function lockBankAccounts(tx: Tx, merchantId: string): Promise<BankAccount[]> {
  await tx`
    select merchant_id
    from merchants
    where merchant_id = ${merchantId}
    for no key update`;
  return listBankAccounts(tx, merchantId);
}

export async function insertBankAccount(
  tx: Tx,
  merchantId: string,
  account: BankAccount,
  numberHash: Buffer,
): Promise<void> {
  await tx`
    insert into bank_accounts (
      merchant_id, bank_account_id, bank_name, name, routing_number, type, account_number_suffix, number_hash, currency,
      in_force, linked_at
    )
    values (
      ${merchantId}, ${account.id}, ${account.bankName}, ${account.name}, ${account.routingNumber}, ${account.type},
      ${account.accountNumberSuffix}, ${numberHash}, ${account.currency}, ${account.isActive}, ${account.linkedAt}
    )`;
}

/** The caller has locked the accounts. Two statements, because a unique index allows only one active account. */
export async function updateActiveBankAccount(tx: Tx, merchantId: string, bankAccountId: string): Promise<void> {
  await tx`
    update bank_accounts
    set in_force = false
    where merchant_id = ${merchantId} and in_force and bank_account_id <> ${bankAccountId}`;
  await tx`
    update bank_accounts
    set in_force = true
    where merchant_id = ${merchantId} and bank_account_id = ${bankAccountId}`;
}
