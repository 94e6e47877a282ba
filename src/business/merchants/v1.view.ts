/** The v1 view of merchants and locations. Both use the format V1Merchant. */
import { about, choice, model, optional, type Static, Type } from '../../api/wire.js';
import { Address } from './address.view.js';
import type { Location, Merchant } from './model.js';

export const V1Merchant = model('V1Merchant', {
  id: about('The id of the business or of the location.', Type.String()),
  name: about('The name of the owner.', Type.String()),
  email: about('The email address of the business.', optional(Type.String())),
  account_type: about(
    'Whether this is the business as a whole or one of its locations.',
    choice(['LOCATION', 'BUSINESS']),
  ),
  account_capabilities: about(
    'What the account may do, for example take cards or manage employees.',
    Type.Array(Type.String()),
  ),
  country_code: about('The country, in two letters (ISO 3166).', Type.String()),
  language_code: about('The language of the business, for example `en-US`.', Type.String()),
  currency_code: about('The currency of the business, in three letters.', Type.String()),
  business_name: about('The name of the business that buyers see.', Type.String()),
  business_address: about('The address of the business or location.', optional(Address)),
  business_phone: about(
    'The phone number of the business or location.',
    optional(
      model('V1PhoneNumber', {
        calling_code: about('The code of the country, for example `1`.', Type.String()),
        number: about('The number within the country.', Type.String()),
      }),
    ),
  ),
  business_type: about('The kind of business.', Type.String()),
  shipping_address: about('The address for deliveries to the business.', optional(Address)),
  location_details: about(
    'What only locations have. Absent for the business as a whole.',
    optional(
      model('V1MerchantLocationDetails', {
        nickname: about('The name of the location within the business.', optional(Type.String())),
      }),
    ),
  ),
  market_url: about('The address of the online store.', optional(Type.String())),
});

type V1Merchant = Static<typeof V1Merchant>;

/** The business as a whole. It has the address of its main location. */
export function toV1Business(merchant: Merchant, main: Location | undefined): V1Merchant {
  return { ...sharedFields(merchant, main), id: merchant.id, account_type: 'BUSINESS' };
}

export function toV1Location(merchant: Merchant, location: Location): V1Merchant {
  return {
    ...sharedFields(merchant, location),
    id: location.id,
    account_type: 'LOCATION',
    location_details: { nickname: location.name },
  };
}

function sharedFields(merchant: Merchant, location: Location | undefined): Omit<V1Merchant, 'id' | 'account_type'> {
  const { address, phoneNumber, websiteUrl } = location?.profile ?? {};
  return {
    name: merchant.ownerName,
    ...(merchant.ownerEmail !== null && { email: merchant.ownerEmail }),
    account_capabilities: [
      'CREDIT_CARD_PROCESSING',
      // Clients use these to see whether the account is approved (decision 0020).
      ...(merchant.approved ? ['EMPLOYEE_MANAGEMENT', 'TIMECARD_MANAGEMENT'] : []),
    ],
    country_code: merchant.country,
    language_code: merchant.languageCode,
    currency_code: merchant.currency,
    business_name: merchant.businessName,
    business_type: merchant.businessType,
    ...(address && { business_address: address, shipping_address: address }),
    ...(phoneNumber !== undefined && { business_phone: toPhone(phoneNumber) }),
    ...(websiteUrl !== undefined && { market_url: websiteUrl }),
  };
}

/** Calling codes have one to three digits, and no code is a prefix of another. */
const CALLING_CODE = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** `+1 415-555-1234` is calling code `+1` and number `4155551234`. */
function toPhone(phoneNumber: string): { calling_code: string; number: string } {
  const calling_code = CALLING_CODE.exec(phoneNumber)?.[0] ?? '';
  return { calling_code, number: phoneNumber.slice(calling_code.length).replaceAll(/\D/g, '') };
}
