/** Creates and edits locations, and edits the business itself. An edit contains the version that the editor saw (decision 0152). */
import type { OwnerContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import { versionOfContent } from '../../base/normalized-request.js';
import { wholeSecond } from '../../base/time.js';
import { actorOf, recordAudit } from '../../identity/audit.js';
import { insertScheduledWork } from '../due-work/queries.js';
import { closesAfter, type Location, type LocationProfile, type Merchant } from './model.js';
import {
  findLocationCount,
  findMerchantWithLocations,
  hasSales,
  insertLocation,
  lockLocation,
  lockMerchant,
  type MerchantWithLocations,
  updateLocation,
  updateProfile,
} from './queries.js';

const MAX_LOCATIONS = 300;

/** What an owner edits of a location. The rest of the profile is kept. */
export interface LocationEdit {
  readonly name: string;
  readonly timezone: string;
  readonly status: Location['status'];
  readonly profile: Pick<LocationProfile, (typeof EDITED_FIELDS)[number]>;
}

export const EDITED_FIELDS = [
  'address',
  'phoneNumber',
  'businessEmail',
  'websiteUrl',
  'description',
  'openingHours',
  'logoPictureId',
  'receiptText',
  'tipPercentages',
  'salesTax',
] as const satisfies readonly (keyof LocationProfile)[];

export type BusinessEdit = Pick<
  Merchant,
  'businessName' | 'ownerName' | 'ownerEmail' | 'languageCode' | 'businessType'
>;

/** Computed from all fields that an edit can change, so every edit gives another version. */
export function versionOfLocation({ name, timezone, status, profile }: Location): string {
  return versionOfContent([name, timezone, status, profile]);
}

export function versionOfBusiness(merchant: Merchant): string {
  const { businessName, ownerName, ownerEmail, languageCode, businessType } = merchant;
  return versionOfContent([businessName, ownerName, ownerEmail, languageCode, businessType]);
}

function requireSeenVersion(current: string, seen: string, what: string): void {
  if (current === seen) return;
  throw new Refusal('CONFLICT', {
    field: 'version',
    detail: `Somebody has changed the ${what} since you opened it. Look at what changed, and save again.`,
  });
}

export async function createLocation(context: OwnerContext, edit: Omit<LocationEdit, 'status'>): Promise<Location> {
  const { database, merchant, ids, now, invalidateCredentials } = context;
  const { name, timezone, profile } = edit;
  const location: Location = {
    ...{ id: ids.newShortId('L'), name, timezone, profile, createdAt: wholeSecond(now) },
    ...{ status: 'ACTIVE', type: 'PHYSICAL' },
  };
  await database.transaction(async (tx) => {
    await lockMerchant(tx, merchant.id); // so that concurrent calls get different ordinals
    const count = await findLocationCount(tx, merchant.id);
    if (count >= MAX_LOCATIONS) {
      throw new Refusal('CONFLICT', { detail: `A business can have ${MAX_LOCATIONS} locations.` });
    }
    await insertLocation(tx, merchant.id, location, count);
    await insertScheduledWork(tx, merchant.id, closesAfter([location], now));
    const details = { location_id: location.id, name };
    await recordAudit(tx, { kind: 'LOCATION_CREATED', ...actorOf(context), details });
  });
  invalidateCredentials(merchant.id);
  return location;
}

/**
 * The time zone decides when days close and on which day a sale is reported. Days that are over cannot be divided again, so it is fixed
 * after the first sale. Before that, a change of the time zone also moves the next close.
 */
export async function editLocation(
  context: OwnerContext,
  locationId: string,
  seenVersion: string,
  edit: LocationEdit,
): Promise<Location> {
  const { database, merchant, now, invalidateCredentials } = context;
  const changed = await database.transaction(async (tx) => {
    const known = await lockLocation(tx, merchant.id, locationId);
    if (!known) throw notFound('location', locationId);
    requireSeenVersion(versionOfLocation(known), seenVersion, 'location');
    const movesZone = edit.timezone !== known.timezone;
    if (movesZone && (await hasSales(tx, merchant.id, locationId))) throw fixedZone();
    const kept = Object.entries(known.profile).filter(([name]) => !(EDITED_FIELDS as readonly string[]).includes(name));
    const location: Location = { ...known, ...edit, profile: { ...Object.fromEntries(kept), ...edit.profile } };
    await updateLocation(tx, merchant.id, location);
    if (movesZone) await insertScheduledWork(tx, merchant.id, closesAfter([location], now));
    await recordAudit(tx, {
      kind: 'LOCATION_CHANGED',
      ...actorOf(context),
      details: { location_id: locationId, name: edit.name },
    });
    return location;
  });
  invalidateCredentials(merchant.id);
  return changed;
}

function fixedZone(): Refusal {
  return new Refusal('WRONG_STATE', {
    field: 'timezone',
    detail: 'The time zone is fixed after the first sale, because closed days and reports depend on it.',
  });
}

export async function editBusiness(
  context: OwnerContext,
  seenVersion: string,
  edit: BusinessEdit,
): Promise<MerchantWithLocations> {
  const { database, merchant, invalidateCredentials } = context;
  await database.transaction(async (tx) => {
    const known = await lockMerchant(tx, merchant.id);
    if (!known) throw notFound('merchant', merchant.id);
    requireSeenVersion(versionOfBusiness(known), seenVersion, 'business');
    await updateProfile(tx, merchant.id, edit);
    await recordAudit(tx, { kind: 'BUSINESS_CHANGED', ...actorOf(context), details: { name: edit.businessName } });
  });
  invalidateCredentials(merchant.id);
  const found = await findMerchantWithLocations(database.sql, merchant.id);
  if (!found) throw notFound('merchant', merchant.id);
  return found;
}
