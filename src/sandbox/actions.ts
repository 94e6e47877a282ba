/** Actions of the operator on merchants: create, approve, link bank accounts, move clocks. */
import { randomInt } from 'node:crypto';
import { insertAccount } from '../access/dashboard/queries.js';
import { hashPassword } from '../access/passwords.js';
import { issuePersonalToken } from '../access/tokens.js';
import type { ServerContext } from '../api/operation.js';
import { type Clock, clockAt, nowOn, realNow } from '../base/clock.js';
import { notFound, Refusal, type RefusalName } from '../base/errors.js';
import { instant, printMilliseconds, SECOND_MS } from '../base/time.js';
import { linkBankAccount, type NewBankAccount } from '../business/bank-accounts/actions.js';
import type { BankAccount } from '../business/bank-accounts/model.js';
import type { DueWork } from '../business/due-work/model.js';
import { createMerchant, type NewMerchant, setApproval as setMerchantApproval } from '../business/merchants/actions.js';
import {
  type ClockMove,
  type ClockRefusal,
  type Merchant,
  moveClock,
  recurringWork,
} from '../business/merchants/model.js';
import {
  findMerchant,
  findMerchantWithLocations,
  lockMerchant,
  type MerchantWithLocations,
  updateClock,
} from '../business/merchants/queries.js';
import { deleteRollUps } from '../business/reports/queries.js';
import type { Tx } from '../database/database.js';
import { recordAudit } from '../identity/audit.js';
import { issueCredentials } from '../identity/directory.js';
import { PERMISSIONS } from '../identity/permissions.js';
import { runDueWork } from '../worker/due-work.js';
import { hasRecords } from './queries.js';

export interface NewOwner {
  readonly email: string;
  readonly password: string;
}

export interface Opening {
  readonly owner?: NewOwner | undefined;
  readonly tokenLabel: string;
  /** Gives it records, in the same transaction. */
  readonly fill?: (tx: Tx, created: MerchantWithLocations) => Promise<void>;
}

export interface OpenedMerchant extends MerchantWithLocations {
  readonly accessToken: string;
}

/** Creates a merchant with locations, an access token with all permissions, and optionally an owner. */
export async function openMerchant(
  { database, ids }: Pick<ServerContext, 'database' | 'ids'>,
  merchant: NewMerchant,
  { owner, tokenLabel, fill }: Opening,
): Promise<OpenedMerchant> {
  const passwordHash = owner && (await hashPassword(owner.password)); // slow by design, so outside the transaction
  return issueCredentials(database, async (issuing) => {
    const { tx } = issuing;
    const created = await createMerchant(tx, ids, merchant);
    const merchantId = created.merchant.id;
    await recordAudit(tx, { kind: 'MERCHANT_CREATED', merchantId, details: { name: merchant.businessName } });
    if (owner && passwordHash) {
      await insertAccount(tx, {
        accountId: ids.newUuid(),
        merchantId,
        email: owner.email,
        passwordHash,
        createdAt: realNow(),
      });
    }
    await fill?.(tx, created);
    const accessToken = await issuePersonalToken(issuing, { merchantId, permissions: PERMISSIONS, label: tokenLabel });
    return { ...created, accessToken };
  });
}

export async function requireMerchant(
  { database }: Pick<ServerContext, 'database'>,
  merchantId: string,
): Promise<Merchant> {
  const merchant = await findMerchant(database.sql, merchantId);
  if (!merchant) throw notFound('merchant', merchantId);
  return merchant;
}

export async function requireMerchantWithLocations(
  { database }: Pick<ServerContext, 'database'>,
  merchantId: string,
): Promise<MerchantWithLocations> {
  const found = await findMerchantWithLocations(database.sql, merchantId);
  if (!found) throw notFound('merchant', merchantId);
  return found;
}

/** Links a bank account; fields that the caller omits get test values. */
export async function linkTestAccount(
  { database, ids, keyedHash }: Pick<ServerContext, 'database' | 'ids' | 'keyedHash'>,
  merchant: Merchant,
  {
    bankName,
    name,
    type,
    routingNumber,
    accountNumber,
  }: { [Name in keyof NewBankAccount]?: NewBankAccount[Name] | undefined } = {},
): Promise<BankAccount> {
  return linkBankAccount(
    { database, ids, keyedHash, merchant, now: nowOn(merchant.clock) },
    {
      bankName: bankName ?? 'Sandbox Bank',
      name: name ?? merchant.businessName,
      type: type ?? 'CHECKING',
      routingNumber: routingNumber ?? '021000021',
      accountNumber: accountNumber ?? String(randomInt(10 ** 12)).padStart(12, '0'),
    },
  );
}

export async function setApproval(
  { database, invalidateCredentials }: ServerContext,
  merchantId: string,
  approved: boolean,
): Promise<void> {
  if (!(await setMerchantApproval(database, merchantId, approved))) throw notFound('merchant', merchantId);
  invalidateCredentials(merchantId);
}

/** Longer than the due work takes here. If this server crashes, a worker runs the work after this time. */
const MAX_WAIT_MS = 30 * SECOND_MS;

export interface ClockChange {
  readonly move: ClockMove | undefined;
  /** Undefined: unchanged. */
  readonly frozen: boolean | undefined;
}

export async function changeClock(
  { database, processor, ids, invalidateCredentials, onWork }: ServerContext,
  merchantId: string,
  { move, frozen }: ClockChange,
): Promise<{ readonly clock: Clock; readonly done: readonly DueWork[] }> {
  const clock = await database.transaction(async (tx) => {
    const merchant = await lockMerchant(tx, merchantId);
    if (!merchant) throw notFound('merchant', merchantId);
    const real = realNow();
    const now = nowOn(merchant.clock, real);
    const target = move ? moveClock(now, move, await hasRecords(tx, merchantId)) : now;
    if (typeof target === 'string') throw explain(target, move?.kind === 'set' ? 'now' : 'advance');
    const changed = clockAt(target, frozen ?? merchant.clock.frozenAt !== null, real);
    // Closes that were skipped, because the merchant had no records, are in the future again.
    const reopened = target < now ? await findMerchantWithLocations(tx, merchantId) : undefined;
    const works = reopened ? recurringWork(merchantId, reopened.locations, target) : [];
    if (reopened) await deleteRollUps(tx, merchantId);
    const overdueRunAt = instant(real + MAX_WAIT_MS);
    await updateClock(tx, merchantId, { clock: changed, movedAt: real, works, overdueRunAt });
    const details = { now: printMilliseconds(target), frozen: String(changed.frozenAt !== null) };
    await recordAudit(tx, { kind: 'CLOCK_CHANGED', merchantId, details });
    return changed;
  });
  invalidateCredentials(merchantId);
  const done = await runDueWork({ database, processor, ids, onWork }, merchantId, nowOn(clock)); // before the response (decision 0041)
  return { clock, done };
}

const CLOCK_REFUSALS: Readonly<Record<ClockRefusal, { reason: RefusalName; detail: string }>> = {
  NOT_A_DURATION: {
    reason: 'INVALID_VALUE',
    detail: 'advance must be an ISO 8601 duration such as P61D or PT36H, of five years at most.',
  },
  TOO_FAR: { reason: 'VALUE_TOO_HIGH', detail: 'A request can move a clock at most five years ahead.' },
  BACKWARDS: {
    reason: 'WRONG_STATE',
    detail: 'The clock of a merchant with records cannot move back. Create a new merchant instead.',
  },
};

function explain(refusal: ClockRefusal, field: string): Refusal {
  const { reason, detail } = CLOCK_REFUSALS[refusal];
  return new Refusal(reason, { detail, field });
}
