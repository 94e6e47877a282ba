/** The dashboard's view of a location with everything that its owner edits. */
import { about, Bool, choice, model, optional, present, type Static, Type, text, wholeNumber } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import type { PostalAddress } from '../../base/postal-address.js';
import { pictureUrl } from '../pictures/view.js';
import { Address } from './address.view.js';
import { type EDITED_FIELDS, type LocationEdit, versionOfLocation } from './locations.js';
import {
  isTimezone,
  type Location as LocationModel,
  type LocationProfile,
  type Merchant,
  type OpeningHours,
} from './model.js';
import { Location, toLocation } from './v2.view.js';

const DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
const LocalTime = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$', examples: ['09:00'] });

export const SalesTax = model('SalesTax', {
  name: about('What receipts call the tax.', text(255, { minLength: 1 })),
  percentage: about(
    'The tax in per cent, with up to five decimals, for example `8.875`.',
    Type.String({ pattern: '^[0-9]{1,2}([.][0-9]{1,5})?$', examples: ['8.875'] }),
  ),
  inclusion_type: about('Whether prices contain the tax, or the tax is added.', choice(['ADDITIVE', 'INCLUSIVE'])),
});

const TipPercentages = Type.Array(wholeNumber(1, 100), { maxItems: 4 });

export const LocationDetails = model('LocationDetails', {
  location: about('The location, as v2 shows it.', Location),
  version: about(
    'Identifies what the editor sees. Send it with an edit. It is another one after every change.',
    Type.String(),
  ),
  logo: about(
    'The picture at the top of receipts. Absent without one.',
    optional(
      model('Logo', {
        picture_id: about('The id of the picture.', Type.String()),
        url: about('Where the picture is.', Type.String()),
      }),
    ),
  ),
  receipt_text: about('The last lines of receipts. Absent without any.', optional(Type.String())),
  tip_percentages: about('What registers offer as tips, in per cent.', Type.Array(Type.Integer())),
  sales_tax: about('The tax on sales. Absent without one.', optional(SalesTax)),
  timezone_can_change: about('Whether the time zone can still be changed. False after the first sale.', Bool),
});

function toLogo(merchantId: string, pictureId: string): { picture_id: string; url: string } {
  return { picture_id: pictureId, url: pictureUrl(merchantId, pictureId) };
}

export function toSalesTax(tax: NonNullable<LocationProfile['salesTax']>): Static<typeof SalesTax> {
  return { name: tax.name, percentage: tax.percentage, inclusion_type: tax.inclusionType };
}

export function toLocationDetails(
  merchant: Merchant,
  location: LocationModel,
  timezoneCanChange: boolean,
): Static<typeof LocationDetails> {
  const { logoPictureId, receiptText, tipPercentages = [], salesTax } = location.profile;
  return {
    location: toLocation(merchant, location),
    version: versionOfLocation(location),
    tip_percentages: [...tipPercentages],
    timezone_can_change: timezoneCanChange,
    ...present({
      logo: logoPictureId === undefined ? undefined : toLogo(merchant.id, logoPictureId),
      receipt_text: receiptText,
      sales_tax: salesTax && toSalesTax(salesTax),
    }),
  };
}

const NewLocation = {
  name: about('The name of the location.', text(255, { minLength: 1 })),
  timezone: about(
    'The time zone, for example `America/New_York`. The days of reports begin and end in this time zone.',
    text(64, { minLength: 1 }),
  ),
  address: about('The postal address, which receipts show.', optional(Address)),
  phone_number: about('The phone number, which receipts show.', optional(text(64))),
  business_email: about('The email address for buyers.', optional(text(255))),
  website_url: about('The website for buyers.', optional(text(1000))),
  description: about('A text for buyers.', optional(text(1000))),
  business_hours: about(
    'When it is open. Absent: no opening hours are set.',
    optional(
      Type.Array(
        Type.Object({
          day_of_week: about('The day of the week.', choice(DAYS)),
          start_local_time: about('When it opens, in local time.', LocalTime),
          end_local_time: about('When it closes, in local time.', LocalTime),
        }),
        {
          maxItems: 21,
        },
      ),
    ),
  ),
  picture_id: about('The picture on receipts.', optional(text(64))),
  receipt_text: about('The last lines of receipts.', optional(text(1000))),
  tip_percentages: about('What registers offer as tips, in per cent.', optional(TipPercentages)),
  sales_tax: about('The tax on sales.', optional(SalesTax)),
};

export const LocationToCreate = Type.Object(NewLocation);
export const LocationToEdit = Type.Object({
  ...NewLocation,
  version: about(
    'The version that the editor saw. If there is another one, the edit is refused.',
    text(64, { minLength: 1 }),
  ),
  status: about('Whether it still sells.', choice(['ACTIVE', 'INACTIVE'])),
});

type LocationFields = Static<typeof LocationToCreate>;

export function fromLocationFields(given: LocationFields): Omit<LocationEdit, 'status'> {
  const name = given.name.trim();
  if (name === '') throw new Refusal('INVALID_VALUE', { field: 'name', detail: 'The name is empty.' });
  if (!isTimezone(given.timezone)) {
    throw new Refusal('INVALID_VALUE', {
      field: 'timezone',
      detail: 'timezone must be a name of the IANA database, such as America/New_York.',
    });
  }
  return { name, timezone: given.timezone, profile: toProfile(given) };
}

/** Empty fields are removed: clients test whether a field is present. */
function toProfile(given: LocationFields): LocationEdit['profile'] {
  const { sales_tax: tax, tip_percentages: tips = [], business_hours: hours = [] } = given;
  const address = Object.entries(given.address ?? {}).filter(([, line]) => line !== '');
  const profile: Pick<LocationProfile, (typeof EDITED_FIELDS)[number]> = {
    ...(address.length > 0 && { address: Object.fromEntries(address) as PostalAddress }),
    ...present({
      phoneNumber: given.phone_number || undefined,
      businessEmail: given.business_email || undefined,
      websiteUrl: requireWebsiteUrl(given.website_url),
      description: given.description || undefined,
      logoPictureId: given.picture_id || undefined,
      receiptText: given.receipt_text || undefined,
    }),
    ...(hours.length > 0 && { openingHours: fromBusinessHours(hours) }),
    ...(tips.length > 0 && { tipPercentages: [...new Set(tips)].toSorted((one, other) => one - other) }),
    ...(tax && { salesTax: { name: tax.name, percentage: tax.percentage, inclusionType: tax.inclusion_type } }),
  };
  return profile;
}

/** A buyer's receipt links to it, so it must not be a script. */
function requireWebsiteUrl(url: string | undefined): string | undefined {
  if (!url) return undefined;
  if (/^https?:\/\/[^\s]+$/i.test(url) && URL.canParse(url)) return url;
  throw new Refusal('INVALID_VALUE', {
    field: 'website_url',
    detail: 'website_url must begin with https:// or http://.',
  });
}

/** A period that ends before it begins ends on the next day. Periods of a day do not overlap. */
function fromBusinessHours(given: NonNullable<LocationFields['business_hours']>): OpeningHours[] {
  const withSeconds = (time: string): string => (time.length === 5 ? `${time}:00` : time);
  const periods = given
    .map(({ day_of_week, start_local_time, end_local_time }) => ({
      dayOfWeek: day_of_week,
      startLocalTime: withSeconds(start_local_time),
      endLocalTime: withSeconds(end_local_time),
    }))
    .toSorted(
      (one, other) =>
        DAYS.indexOf(one.dayOfWeek) - DAYS.indexOf(other.dayOfWeek) ||
        one.startLocalTime.localeCompare(other.startLocalTime),
    );
  const overlaps = periods.some((period, index) => {
    const next = periods[index + 1];
    if (period.startLocalTime === period.endLocalTime) return true;
    if (next?.dayOfWeek !== period.dayOfWeek) return false;
    return period.endLocalTime < period.startLocalTime || next.startLocalTime < period.endLocalTime;
  });
  if (!overlaps) return periods;
  throw new Refusal('INVALID_VALUE', {
    field: 'business_hours',
    detail: 'The opening hours of a day must not overlap, and each period must have a length.',
  });
}
