/** The v2 view of merchants and locations. */
import { about, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import { Address } from './address.view.js';
import type { Location as LocationModel, Merchant as MerchantModel } from './model.js';

const status = choice(['ACTIVE', 'INACTIVE']);

export const Merchant = model('Merchant', {
  id: about('The id of the merchant.', Type.String()),
  business_name: about('The name of the business that buyers see.', Type.String()),
  country: about('The country, in two letters (ISO 3166).', Type.String()),
  language_code: about('The language of the business, for example `en-US`.', Type.String()),
  currency: about('The currency of the business, in three letters.', Type.String()),
  status: about('Whether the merchant is in business.', status),
  main_location_id: about('The location that was created first.', optional(Type.String())),
});

const BusinessHoursPeriod = model('BusinessHoursPeriod', {
  day_of_week: about('The day of the week, in three letters, for example `MON`.', Type.String()),
  start_local_time: about('When the location opens, in its own time, for example `09:00:00`.', Type.String()),
  end_local_time: about('When the location closes, in its own time.', Type.String()),
});

export const Location = model('Location', {
  id: about('The id of the location.', Type.String()),
  name: about('The name of the location within the business.', Type.String()),
  address: about('The address of the location.', optional(Address)),
  timezone: about('The time zone of the location, as the IANA database names it.', Type.String()),
  capabilities: about('What the location may do, for example take cards.', Type.Array(Type.String())),
  status: about('Whether the location is in use.', status),
  created_at: about('When the location was created.', Time),
  merchant_id: about('The merchant that the location belongs to.', Type.String()),
  country: about('The country, in two letters (ISO 3166).', Type.String()),
  language_code: about('The language of the location, for example `en-US`.', Type.String()),
  currency: about('The currency of the location, in three letters.', Type.String()),
  phone_number: about('The phone number of the location.', optional(Type.String())),
  business_name: about('The name of the business that buyers see.', Type.String()),
  type: about('Whether the location is a fixed place.', choice(['PHYSICAL', 'MOBILE'])),
  website_url: about('The web page of the location.', optional(Type.String())),
  business_hours: about(
    'When the location is open.',
    optional(
      model('BusinessHours', {
        periods: about('When the location is open. A day can have several periods.', Type.Array(BusinessHoursPeriod)),
      }),
    ),
  ),
  business_email: about('The email address of the location.', optional(Type.String())),
  twitter_username: about('The name of the location on Twitter, without the @.', optional(Type.String())),
  instagram_username: about('The name of the location on Instagram, without the @.', optional(Type.String())),
  facebook_url: about('The page of the location on Facebook.', optional(Type.String())),
  coordinates: about(
    'Where the location is.',
    optional(
      model('Coordinates', {
        latitude: about('The latitude in degrees.', Type.Number()),
        longitude: about('The longitude in degrees.', Type.Number()),
      }),
    ),
  ),
  logo_url: about('The picture on top of receipts.', optional(Type.String())),
  pos_background_url: about('The picture behind the screen of registers.', optional(Type.String())),
  mcc: about('The category of the business, as card networks number it.', optional(Type.String())),
  description: about('What the location is, for buyers.', optional(Type.String())),
});

export function toMerchant(
  merchant: MerchantModel,
  main: { readonly id: string } | undefined,
): Static<typeof Merchant> {
  return {
    id: merchant.id,
    business_name: merchant.businessName,
    country: merchant.country,
    language_code: merchant.languageCode,
    currency: merchant.currency,
    status: merchant.status,
    ...(main && { main_location_id: main.id }),
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
    created_at: printMilliseconds(location.createdAt),
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
