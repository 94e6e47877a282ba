/** Writes the history of Juniper & Rye: thirteen months, two locations, two bank accounts. */
import { DAY_MS, instant } from '../base/time.js';
import type { Tx } from '../database/database.js';
import { salesTax } from './history/menu.js';
import { type Opening, openBusiness } from './history/opening.js';
import { Tickets } from './history/tickets.js';
import { writeHistory } from './history/write.js';

/** Thirteen months. */
const HISTORY_DAYS = 396;

/** Averages per location. */
const VOLUME = { salesPerDay: 8, onlineSalesPerDay: 1, ordersPerDay: 0.6 };

/** In the order of the locations. The hours must equal the opening hours in demo-business.ts. */
const LOCATION_PLANS = [
  {
    register: 'Mission counter',
    opensAtHour: 7,
    hoursOpen: 11,
    closedOn: null,
    tax: salesTax('CA sales tax', '0.08625'),
    neighbourhood: {
      locality: 'San Francisco',
      region: 'CA',
      postalCode: '94110',
      streets: ['Valencia Street', 'Dolores Street', 'Guerrero Street', 'Folsom Street'],
      phonePrefix: '+1415555',
    },
  },
  {
    register: 'Bergen counter',
    opensAtHour: 8,
    hoursOpen: 12,
    closedOn: 1,
    tax: salesTax('NY sales tax', '0.08875'),
    neighbourhood: {
      locality: 'Brooklyn',
      region: 'NY',
      postalCode: '11201',
      streets: ['Atlantic Avenue', 'Court Street', 'Smith Street', 'Dean Street'],
      phonePrefix: '+1718555',
    },
  },
] as const;

/** Fictitious, with valid routing number checksums. */
const ACCOUNTS = [
  { bankName: 'First Harbor Bank', type: 'BUSINESS_CHECKING', routingNumber: '122105278', number: '0004417720931' },
  { bankName: 'Gowanus Savings', type: 'SAVINGS', routingNumber: '123456780', number: '55820017' },
] as const;

export async function writeDemoHistory(
  tx: Tx,
  opening: Omit<Opening, 'locationPlans' | 'accounts' | 'website' | 'menuOwner' | 'hasPictures'>,
  days = HISTORY_DAYS,
): Promise<void> {
  const { merchant, now } = opening;
  const opened = await openBusiness(tx, {
    ...opening,
    locationPlans: LOCATION_PLANS.map((plan) => ({
      ...plan,
      ...VOLUME,
      tickets: new Tickets(plan.tax, { owner: merchant.id, currency: merchant.currency }),
    })),
    accounts: ACCOUNTS,
    website: 'https://juniper-and-rye.example',
    menuOwner: merchant.id,
    hasPictures: true,
  });
  await writeHistory(tx, {
    ...opened,
    from: instant(now - days * DAY_MS),
    bankFailsAfter: instant(now - 40 * DAY_MS),
  });
}
