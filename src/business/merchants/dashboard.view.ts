/** The view of the whole business that the dashboard needs before anything else. */
import { about, Bool, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { type Instant, printSeconds } from '../../base/time.js';
import { type BusinessEdit, versionOfBusiness } from './locations.js';
import type { Location as LocationModel, Merchant as MerchantModel } from './model.js';
import { Location, Merchant, toLocation, toMerchant } from './v2.view.js';

export const BusinessProfile = model('BusinessProfile', {
  version: about(
    'Identifies what the editor sees. Send it with an edit. It is another one after every change.',
    Type.String(),
  ),
  owner_name: about('The name of the owner.', Type.String()),
  owner_email: about('The address for messages to the owner. Absent without one.', optional(Type.String())),
  business_type: about('What kind of business it is, for example `BAKERY`.', Type.String()),
});

export const Business = model('Business', {
  merchant: about('The business, as v2 shows it.', Merchant),
  profile: about('What only its owner sees.', BusinessProfile),
  approved: about('Whether employee management is available to the business.', Bool),
  now: about("The merchant's business time, which a sandbox can move.", Time),
  locations: about('The places where it sells. The first is the main location.', Type.Array(Location)),
});

export function toBusiness(
  merchant: MerchantModel,
  locations: readonly LocationModel[],
  now: Instant,
): Static<typeof Business> {
  return {
    merchant: toMerchant(merchant, locations[0]),
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
  version: about(
    'The version that the editor saw. If there is another one, the edit is refused.',
    text(64, { minLength: 1 }),
  ),
  business_name: about('The name of the business, which receipts show.', text(255, { minLength: 1 })),
  owner_name: about('The name of the owner.', text(255, { minLength: 1 })),
  owner_email: about('The address for messages to the owner.', optional(text(255))),
  language_code: about(
    'The language for receipts, for example `en-US`.',
    Type.String({ pattern: '^[a-z]{2,3}-[A-Z]{2}$', examples: ['en-US'] }),
  ),
  business_type: about('What kind of business it is, for example `BAKERY`.', text(64, { minLength: 1 })),
});

export function fromBusinessToEdit(given: Static<typeof BusinessToEdit>): BusinessEdit {
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
