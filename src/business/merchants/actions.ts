/** Creates merchants and changes the settings of their registers. */
import type { ServerContext } from '../../api/operation.js';
import { nowOn } from '../../base/clock.js';
import { notFound } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Instant, wholeSecond } from '../../base/time.js';
import type { Database, Tx } from '../../database/database.js';
import { type AuditActor, changeAudited } from '../../identity/audit.js';
import { insertScheduledWork } from '../due-work/queries.js';
import { type Location, type LocationProfile, type Merchant, recurringWork } from './model.js';
import { insertMerchant, type RegisterSettingsChange, updateApproval, updateRegisterSettings } from './queries.js';

export interface NewLocation {
  readonly name: string;
  readonly timezone: string;
  readonly profile?: LocationProfile;
}

export interface NewMerchant extends Omit<Merchant, 'id' | 'status' | 'createdAt'> {
  readonly locations: readonly NewLocation[];
}

/** `openedAt` is in the past for a business with a generated history. */
export async function createMerchant(
  tx: Tx,
  ids: Ids,
  { locations: newLocations, ...rest }: NewMerchant,
  { now, openedAt = now }: { readonly now: Instant; readonly openedAt?: Instant } = { now: nowOn(rest.clock) },
): Promise<{ merchant: Merchant; locations: Location[] }> {
  const createdAt = wholeSecond(openedAt);
  const merchant: Merchant = { ...rest, id: ids.newShortId('M'), status: 'ACTIVE', createdAt };
  const locations = newLocations.map(
    ({ name, timezone, profile = {} }): Location => ({
      id: ids.newShortId('L'),
      name,
      timezone,
      status: 'ACTIVE',
      type: 'PHYSICAL',
      profile,
      createdAt,
    }),
  );
  await insertMerchant(tx, merchant, locations);
  await insertScheduledWork(tx, merchant.id, recurringWork(merchant.id, locations, now));
  return { merchant, locations };
}

/** Clears cached credentials of the merchant, so the settings take effect before the response is sent. */
export async function setRegisterSettings(
  { database, invalidateCredentials }: Pick<ServerContext, 'database' | 'invalidateCredentials'>,
  merchantId: string,
  settings: RegisterSettingsChange,
  by: AuditActor = {},
): Promise<void> {
  const details = { restricts_discounts: String(settings.restrictsDiscounts) };
  const entry = { kind: 'REGISTER_SETTINGS_CHANGED', ...by, merchantId, details } as const;
  const found = await changeAudited(database, entry, (tx) => updateRegisterSettings(tx, merchantId, settings));
  if (!found) throw notFound('merchant', merchantId);
  invalidateCredentials(merchantId);
}

/** Approves a merchant for employee management, or removes the approval. Returns whether there is such a merchant. */
export function setApproval(database: Database, merchantId: string, approved: boolean): Promise<boolean> {
  const kind = approved ? 'MERCHANT_APPROVED' : 'MERCHANT_APPROVAL_REMOVED';
  return changeAudited(database, { kind, merchantId }, (tx) => updateApproval(tx, merchantId, approved));
}
