/** The view of the whole business that the dashboard needs before anything else. */
import { Flag, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { type Instant, printSeconds } from '../../base/time.js';
import { type BusinessEdit, versionOfBusiness } from './locations.js';
import type { Location as LocationModel, Merchant as MerchantModel } from './model.js';
import { Location, Merchant, toLocation, toMerchant } from './v2.view.js';

export const BusinessProfile = model('BusinessProfile', {
  /** Send it with an edit. It is another one after every change. */
  version: Type.String(),
  owner_name: Type.String(),
  owner_email: optional(Type.String()),
  business_type: Type.String(),
});

export const Business = model('Business', {
  merchant: Merchant,
  profile: BusinessProfile,
  /** Employee management is available to approved accounts only. */
  approved: Flag,
  /** The time of the merchant's clock, which a sandbox can move. */
  now: Time,
  locations: Type.Array(Location),
});

export function toBusiness(
  merchant: MerchantModel,
  locations: readonly LocationModel[],
  now: Instant,
): Static<typeof Business> {
  return {
    merchant: toMerchant(merchant),
    profile: {
      version: versionOfBusiness(merchant),
      owner_name: merchant.ownerName,
      business_type: merchant.businessType,
      ...present({ owner_email: merchant.ownerEmail }),
    },
    approved: merchant.approved,
    now: printSeconds(now),
    locations: locations.map((location) => toLocation(merchant, location)),
  };
}

export const BusinessToEdit = Type.Object({
  version: text(64, { minLength: 1 }),
  business_name: text(255, { minLength: 1 }),
  owner_name: text(255, { minLength: 1 }),
  owner_email: optional(text(255)),
  language_code: Type.String({ pattern: '^[a-z]{2,3}-[A-Z]{2}$', examples: ['en-US'] }),
  business_type: text(64, { minLength: 1 }),
});

export function readBusiness(given: Static<typeof BusinessToEdit>): BusinessEdit {
  return {
    businessName: requireText(given.business_name, 'business_name'),
    ownerName: requireText(given.owner_name, 'owner_name'),
    ownerEmail: given.owner_email || null,
    languageCode: given.language_code,
    businessType: given.business_type,
  };
}

function requireText(text: string, field: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new Refusal('INVALID_VALUE', { field, detail: `${field} is empty.` });
  return trimmed;
}
