/** The v2 view of merchants and locations. */
import { choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printSeconds } from '../../base/time.js';
import { Address } from './address.js';
import type { Location as LocationModel, Merchant as MerchantModel } from './model.js';

const status = choice(['ACTIVE', 'INACTIVE']);

export const Merchant = model('Merchant', {
  id: Type.String(),
  business_name: Type.String(),
  country: Type.String(),
  language_code: Type.String(),
  currency: Type.String(),
  status,
});

const BusinessHoursPeriod = model('BusinessHoursPeriod', {
  day_of_week: Type.String(),
  start_local_time: Type.String(),
  end_local_time: Type.String(),
});

export const Location = model('Location', {
  id: Type.String(),
  name: Type.String(),
  address: optional(Address),
  timezone: Type.String(),
  capabilities: Type.Array(Type.String()),
  status,
  created_at: Time,
  merchant_id: Type.String(),
  country: Type.String(),
  language_code: Type.String(),
  currency: Type.String(),
  phone_number: optional(Type.String()),
  business_name: Type.String(),
  type: choice(['PHYSICAL', 'MOBILE']),
  website_url: optional(Type.String()),
  business_hours: optional(model('BusinessHours', { periods: Type.Array(BusinessHoursPeriod) })),
  business_email: optional(Type.String()),
  twitter_username: optional(Type.String()),
  instagram_username: optional(Type.String()),
  facebook_url: optional(Type.String()),
  coordinates: optional(model('Coordinates', { latitude: Type.Number(), longitude: Type.Number() })),
  logo_url: optional(Type.String()),
  pos_background_url: optional(Type.String()),
  mcc: optional(Type.String()),
  description: optional(Type.String()),
});

export function toMerchant(merchant: MerchantModel): Static<typeof Merchant> {
  return {
    id: merchant.id,
    business_name: merchant.businessName,
    country: merchant.country,
    language_code: merchant.languageCode,
    currency: merchant.currency,
    status: merchant.status,
  };
}

export function toLocation(merchant: MerchantModel, location: LocationModel): Static<typeof Location> {
  const { profile } = location;
  return {
    id: location.id,
    name: location.name,
    timezone: location.timezone,
    capabilities: ['CREDIT_CARD_PROCESSING'],
    status: location.status,
    created_at: printSeconds(location.createdAt),
    merchant_id: merchant.id,
    country: merchant.country,
    language_code: merchant.languageCode,
    currency: merchant.currency,
    business_name: merchant.businessName,
    type: location.type,
    ...present({
      address: profile.address,
      phone_number: profile.phoneNumber,
      website_url: profile.websiteUrl,
      business_email: profile.businessEmail,
      twitter_username: profile.twitterUsername,
      instagram_username: profile.instagramUsername,
      facebook_url: profile.facebookUrl,
      coordinates: profile.coordinates,
      logo_url: profile.logoUrl,
      pos_background_url: profile.posBackgroundUrl,
      mcc: profile.mcc,
      description: profile.description,
    }),
    ...(profile.openingHours && {
      business_hours: {
        periods: profile.openingHours.map((period) => ({
          day_of_week: period.dayOfWeek,
          start_local_time: period.startLocalTime,
          end_local_time: period.endLocalTime,
        })),
      },
    }),
  };
}
