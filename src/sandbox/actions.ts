/** What the operator of a sandbox may do to merchants: make them, approve them, move their clocks. */
import { randomInt } from 'node:crypto';
import { insertAccount } from '../access/dashboard/queries.js';
import { hashPassword } from '../access/passwords.js';
import { createPersonalToken } from '../access/tokens.js';
import type { ServerContext } from '../api/operation.js';
import { type Clock, clockAt, nowOn, realNow } from '../base/clock.js';
import { notFound, Refusal, type RefusalName } from '../base/errors.js';
import { instant, SECOND_MS } from '../base/time.js';
import { linkBankAccount, type NewBankAccount } from '../business/bank-accounts/actions.js';
import type { BankAccount } from '../business/bank-accounts/model.js';
import { insertStandingWork, updateRunTimes } from '../business/due-work/queries.js';
import { createMerchant, type NewMerchant } from '../business/merchants/actions.js';
import {
  type ClockMove,
  type ClockRefusal,
  closesAfter,
  type Merchant,
  moveClock,
} from '../business/merchants/model.js';
import {
  findMerchant,
  findMerchantWithLocations,
  lockMerchant,
  type MerchantWithLocations,
  updateApproval,
  updateClock,
} from '../business/merchants/queries.js';
import { PERMISSIONS } from '../identity/permissions.js';
import { doDueWork } from '../worker/due-work.js';
import { hasRecords } from './queries.js';

export interface NewOwner {
  readonly email: string;
  readonly password: string;
}

export interface OpenedMerchant extends MerchantWithLocations {
  readonly accessToken: string;
}

/** A merchant that can be used at once: with locations, a token that may do everything, and an owner if one is named. */
export async function openMerchant(
  { database, ids }: Pick<ServerContext, 'database' | 'ids'>,
  merchant: NewMerchant,
  { owner, tokenLabel }: { owner?: NewOwner | undefined; tokenLabel: string },
): Promise<OpenedMerchant> {
  const passwordHash = owner && (await hashPassword(owner.password)); // slow on purpose, so outside the transaction
  return database.transaction(async (tx) => {
    const made = await createMerchant(tx, ids, merchant);
    const merchantId = made.merchant.id;
    if (owner && passwordHash) {
      await insertAccount(tx, {
        accountId: ids.newUuid(),
        merchantId,
        email: owner.email,
        passwordHash,
        createdAt: realNow(),
      });
    }
    const accessToken = await createPersonalToken(tx, { merchantId, permissions: PERMISSIONS, label: tokenLabel });
    return { ...made, accessToken };
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

/** A bank account for who needs one and does not care which; what is said of it holds. */
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
  { database, forget }: ServerContext,
  merchantId: string,
  approved: boolean,
): Promise<void> {
  const found = await database.statement((tx) => updateApproval(tx, merchantId, approved));
  if (!found) throw notFound('merchant', merchantId);
  forget(merchantId);
}

/** Longer than doing what is due takes: what is left then was left by a crash. */
const MOST_WAITED_FOR_MS = 30 * SECOND_MS;

export interface ClockChange {
  readonly move: ClockMove | undefined;
  /** Undefined: as it was. */
  readonly frozen: boolean | undefined;
}

export async function changeClock(
  { database, processor, ids, forget }: ServerContext,
  merchantId: string,
  { move, frozen }: ClockChange,
): Promise<Clock> {
  const clock = await database.transaction(async (tx) => {
    const merchant = await lockMerchant(tx, merchantId);
    if (!merchant) throw notFound('merchant', merchantId);
    const real = realNow();
    const now = nowOn(merchant.clock, real);
    const target = move ? moveClock(now, move, await hasRecords(tx, merchantId)) : now;
    if (typeof target === 'string') throw explain(target, move?.kind === 'set' ? 'now' : 'advance');
    const changed = clockAt(target, frozen ?? merchant.clock.frozenAt !== null, real);
    await updateClock(tx, merchantId, changed);
    // Days that were skipped because nothing could happen in them are ahead again.
    if (target < now) {
      const { locations } = (await findMerchantWithLocations(tx, merchantId)) ?? { locations: [] };
      await insertStandingWork(tx, merchantId, closesAfter(locations, target));
    }
    await updateRunTimes(tx, merchantId, instant(real + MOST_WAITED_FOR_MS));
    return changed;
  });
  forget(merchantId);
  await doDueWork({ database, processor, ids }, merchantId, nowOn(clock)); // before it answers (decision 0041)
  return clock;
}

const CLOCK_REFUSALS: Readonly<Record<ClockRefusal, { reason: RefusalName; detail: string }>> = {
  NOT_A_DURATION: {
    reason: 'INVALID_VALUE',
    detail: 'advance must be an ISO 8601 duration such as P61D or PT36H, of five years at most.',
  },
  TOO_FAR: { reason: 'VALUE_TOO_HIGH', detail: 'A clock moves at most five years ahead at once.' },
  BACKWARDS: {
    reason: 'WRONG_STATE',
    detail: 'The clock of a merchant with records does not move back; make a new merchant instead.',
  },
};

function explain(refusal: ClockRefusal, field: string): Refusal {
  const { reason, detail } = CLOCK_REFUSALS[refusal];
  return new Refusal(reason, { detail, field });
}
