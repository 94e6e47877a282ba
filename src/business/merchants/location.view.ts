/** The dashboard's view of a location with everything that its owner edits. */
import { choice, Flag, model, optional, present, type Static, Type, text, wholeNumber } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { pictureUrl } from '../pictures/view.js';
import { Address } from './address.js';
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
  name: text(255, { minLength: 1 }),
  /** A percentage with up to five decimals, such as `8.875`. */
  percentage: Type.String({ pattern: '^[0-9]{1,2}([.][0-9]{1,5})?$', examples: ['8.875'] }),
  inclusion_type: choice(['ADDITIVE', 'INCLUSIVE']),
});

const TipPercentages = Type.Array(wholeNumber(1, 100), { maxItems: 4 });

export const LocationDetails = model('LocationDetails', {
  location: Location,
  /** Send it with an edit. It is another one after every change. */
  version: Type.String(),
  /** The picture at the top of receipts. */
  logo: optional(model('Logo', { picture_id: Type.String(), url: Type.String() })),
  receipt_text: optional(Type.String()),
  tip_percentages: Type.Array(Type.Integer()),
  sales_tax: optional(SalesTax),
  /** False after the first sale. */
  timezone_can_change: Flag,
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
  name: text(255, { minLength: 1 }),
  timezone: text(64, { minLength: 1 }),
  address: optional(Address),
  phone_number: optional(text(64)),
  business_email: optional(text(255)),
  website_url: optional(text(1000)),
  description: optional(text(1000)),
  business_hours: optional(
    Type.Array(Type.Object({ day_of_week: choice(DAYS), start_local_time: LocalTime, end_local_time: LocalTime }), {
      maxItems: 21,
    }),
  ),
  picture_id: optional(text(64)),
  receipt_text: optional(text(1000)),
  tip_percentages: optional(TipPercentages),
  sales_tax: optional(SalesTax),
};

export const LocationToCreate = Type.Object(NewLocation);
export const LocationToEdit = Type.Object({
  ...NewLocation,
  version: text(64, { minLength: 1 }),
  status: choice(['ACTIVE', 'INACTIVE']),
});

type Given = Static<typeof LocationToCreate>;

export function readLocation(given: Given): Omit<LocationEdit, 'status'> {
  const name = given.name.trim();
  if (name === '') throw new Refusal('INVALID_VALUE', { field: 'name', detail: 'The name is empty.' });
  if (!isTimezone(given.timezone)) {
    throw new Refusal('INVALID_VALUE', {
      field: 'timezone',
      detail: 'timezone must be a name of the IANA database, such as America/New_York.',
    });
  }
  return { name, timezone: given.timezone, profile: readProfile(given) };
}

/** Empty fields are removed: clients test whether a field is present. */
function readProfile(given: Given): LocationEdit['profile'] {
  const { sales_tax: tax, tip_percentages: tips = [], business_hours: hours = [] } = given;
  const address = Object.entries(given.address ?? {}).filter(([, line]) => line !== '');
  const profile: Pick<LocationProfile, (typeof EDITED_FIELDS)[number]> = {
    ...(address.length > 0 && { address: Object.fromEntries(address) as Address }),
    ...present({
      phoneNumber: given.phone_number || undefined,
      businessEmail: given.business_email || undefined,
      websiteUrl: readWebsite(given.website_url),
      description: given.description || undefined,
      logoPictureId: given.picture_id || undefined,
      receiptText: given.receipt_text || undefined,
    }),
    ...(hours.length > 0 && { openingHours: readHours(hours) }),
    ...(tips.length > 0 && { tipPercentages: [...new Set(tips)].toSorted((one, other) => one - other) }),
    ...(tax && { salesTax: { name: tax.name, percentage: tax.percentage, inclusionType: tax.inclusion_type } }),
  };
  return profile;
}

/** A buyer's receipt links to it, so it must not be a script. */
function readWebsite(url: string | undefined): string | undefined {
  if (!url) return undefined;
  if (/^https?:\/\/[^\s]+$/i.test(url) && URL.canParse(url)) return url;
  throw new Refusal('INVALID_VALUE', {
    field: 'website_url',
    detail: 'website_url must begin with https:// or http://.',
  });
}

/** A period that ends before it begins ends on the next day. Periods of a day do not overlap. */
function readHours(given: NonNullable<Given['business_hours']>): OpeningHours[] {
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
