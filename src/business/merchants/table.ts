/** Defines the tables of merchants and locations. */
import type { Instant } from '../../base/time.js';
import { Table } from '../../database/table.js';
import type { Location, Merchant } from './model.js';

/** Its key is the merchant itself. Columns that a new merchant does not have are not listed. */
export type MerchantRow = Omit<Merchant, 'id' | 'clock'> & {
  readonly restrictsDiscounts: boolean;
  readonly clockOffsetMs: number;
  readonly clockFrozenAt: Instant | null;
};

export const merchants = new Table<MerchantRow>('merchants', {
  key: [],
  columns: {
    businessName: 'value',
    ownerName: 'value',
    ownerEmail: 'value',
    country: 'value',
    languageCode: 'value',
    currency: 'value',
    businessType: 'value',
    status: 'value',
    approved: 'value',
    isDemo: 'value',
    restrictsDiscounts: 'value',
    clockOffsetMs: 'value',
    clockFrozenAt: 'time',
    createdAt: 'time',
  },
});

export function toMerchant({
  restrictsDiscounts: _,
  clockOffsetMs,
  clockFrozenAt,
  ...rest
}: MerchantRow & { readonly id: string }): Merchant {
  return { ...rest, clock: { offsetMs: clockOffsetMs, frozenAt: clockFrozenAt } };
}

export function toNewMerchantRow({ id: _, clock, ...rest }: Merchant): MerchantRow {
  return { ...rest, restrictsDiscounts: false, clockOffsetMs: clock.offsetMs, clockFrozenAt: clock.frozenAt };
}

/** The ordinal is the place in the order of creation. */
export const locations = new Table<Location & { readonly ordinal: number }>('locations', {
  key: ['id'],
  columns: {
    id: { column: 'location_id', as: 'value' },
    name: 'value',
    timezone: 'value',
    status: 'value',
    type: 'value',
    profile: 'json',
    createdAt: 'time',
    ordinal: 'value',
  },
});
