/** Converts a location to the fields of its form, and the fields to a request. */
import type { dashboard, InputOf, ResponseOf } from '../../client/operations.js';
import type { ChosenPicture } from '../../ui/picture-input.js';

export type Details = ResponseOf<typeof dashboard.retrieveLocation>;
type Edit = InputOf<typeof dashboard.updateLocation>;

export const DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
export type Day = (typeof DAYS)[number];

export interface Period {
  readonly day: Day;
  readonly start: string;
  readonly end: string;
}

export interface LocationDraft {
  readonly name: string;
  readonly isActive: boolean;
  readonly timezone: string;
  readonly line1: string;
  readonly line2: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  readonly phone: string;
  readonly email: string;
  readonly website: string;
  readonly hours: readonly Period[];
  readonly logo: ChosenPicture | null;
  readonly receiptText: string;
  readonly tips: readonly number[];
  readonly tax: { readonly name: string; readonly percentage: string; readonly isIncluded: boolean } | null;
}

/** The labels of the fields in the form. */
export const LABELS: Readonly<Record<keyof LocationDraft & string, string>> = {
  name: 'Name',
  isActive: 'State',
  timezone: 'Time zone',
  line1: 'Street',
  line2: 'Apartment or floor',
  city: 'City',
  state: 'State or region',
  postalCode: 'Postal code',
  phone: 'Phone',
  email: 'Email',
  website: 'Website',
  hours: 'Opening hours',
  logo: 'Logo on receipts',
  receiptText: 'Text on receipts',
  tips: 'Tips',
  tax: 'Sales tax',
};

/** A value in words. Hours, pictures and taxes are too long for a line: the form shows them. */
export function printValue(_field: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'open' : 'closed';
  return typeof value === 'string' ? value : value === null ? '' : 'as below';
}

export function toDraft({ location, logo, receipt_text, tip_percentages, sales_tax }: Details): LocationDraft {
  const { address = {} } = location;
  return {
    name: location.name,
    isActive: location.status === 'ACTIVE',
    timezone: location.timezone,
    line1: address.address_line_1 ?? '',
    line2: address.address_line_2 ?? '',
    city: address.locality ?? '',
    state: address.administrative_district_level_1 ?? '',
    postalCode: address.postal_code ?? '',
    phone: location.phone_number ?? '',
    email: location.business_email ?? '',
    website: location.website_url ?? '',
    hours: (location.business_hours?.periods ?? []).map(({ day_of_week, start_local_time, end_local_time }) => ({
      day: day_of_week as Day,
      start: start_local_time.slice(0, 5),
      end: end_local_time.slice(0, 5),
    })),
    logo: logo ? { id: logo.picture_id, url: logo.url } : null,
    receiptText: receipt_text ?? '',
    tips: tip_percentages,
    tax: sales_tax
      ? {
          name: sales_tax.name,
          percentage: sales_tax.percentage,
          isIncluded: sales_tax.inclusion_type === 'INCLUSIVE',
        }
      : null,
  };
}

/** Parts of the address that the form does not show are kept. */
export function toEdit({ location }: Details, version: string, draft: LocationDraft): Edit {
  return {
    location_id: location.id,
    version,
    name: draft.name,
    timezone: draft.timezone,
    status: draft.isActive ? 'ACTIVE' : 'INACTIVE',
    address: {
      ...location.address,
      address_line_1: draft.line1,
      address_line_2: draft.line2,
      locality: draft.city,
      administrative_district_level_1: draft.state,
      postal_code: draft.postalCode,
    },
    phone_number: draft.phone,
    business_email: draft.email,
    website_url: draft.website,
    description: location.description ?? '',
    business_hours: draft.hours.map(({ day, start, end }) => ({
      day_of_week: day,
      start_local_time: start,
      end_local_time: end,
    })),
    picture_id: draft.logo?.id ?? '',
    receipt_text: draft.receiptText,
    tip_percentages: [...draft.tips],
    ...(draft.tax && {
      sales_tax: {
        name: draft.tax.name,
        percentage: draft.tax.percentage,
        inclusion_type: draft.tax.isIncluded ? ('INCLUSIVE' as const) : ('ADDITIVE' as const),
      },
    }),
  };
}
