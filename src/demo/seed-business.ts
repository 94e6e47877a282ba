/** Chooses names, locations and employees of the businesses of `tillhouse seed` at random. */
import type { Clock } from '../base/clock.js';
import type { NewMerchant } from '../business/merchants/actions.js';
import { salesTax } from './history/menu.js';
import type { AccountPlan, LocationPlan } from './history/opening.js';
import type { Neighbourhood } from './history/scenario.js';
import type { SeededRandom } from './history/seeded-random.js';
import type { Person, RoleName } from './history/staff.js';
import { Tickets } from './history/tickets.js';

const CURRENCY = 'USD';

/** All seeded businesses share one menu and its ids, so that receipts are computed once for all of them. */
export const MENU_OWNER = 'seed';

/** The same in every town. */
const STREETS = ['Main Street', 'Oak Street', 'Park Avenue', 'Second Street'];

/** Towns differ in address, time zone and sales tax. */
const TOWNS = [
  town('Oakland', { region: 'CA', postalCode: '94612', phonePrefix: '+1510555' }, 'America/Los_Angeles', '0.1025'),
  town('Boulder', { region: 'CO', postalCode: '80302', phonePrefix: '+1303555' }, 'America/Denver', '0.08845'),
  town('Chicago', { region: 'IL', postalCode: '60607', phonePrefix: '+1312555' }, 'America/Chicago', '0.1025'),
  town('Buffalo', { region: 'NY', postalCode: '14202', phonePrefix: '+1716555' }, 'America/New_York', '0.0875'),
];

function town(
  name: string,
  region: Pick<Neighbourhood, 'region' | 'postalCode' | 'phonePrefix'>,
  timezone: string,
  rate: string,
) {
  const tax = salesTax(`${region.region} sales tax`, rate);
  const neighbourhood: Neighbourhood = { ...region, locality: name, streets: STREETS };
  return {
    name,
    timezone,
    tax,
    neighbourhood,
    tickets: lazily(() => new Tickets(tax, { owner: MENU_OWNER, currency: CURRENCY })),
  };
}

type Town = (typeof TOWNS)[number];

function lazily<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

const FIRST_WORDS = [
  'Copper',
  'Willow',
  'Harbor',
  'Saffron',
  'Maple',
  'Cedar',
  'Indigo',
  'Marigold',
  'Slate',
  'Clover',
];
const SECOND_WORDS = ['Thyme', 'Crumb', 'Kettle', 'Barley', 'Anchor', 'Finch', 'Ember', 'Olive', 'Lantern', 'Sage'];
const FIRST_NAMES = ['Ana', 'Ben', 'Chidi', 'Dana', 'Elif', 'Farid', 'Greta', 'Hugo', 'Iris', 'Jamal', 'Kira', 'Luis'];
const LAST_NAMES = ['Moreau', 'Stone', 'Abe', 'Okoye', 'Larsen', 'Costa', 'Novak', 'Singh', 'Reyes', 'Walsh', 'Ito'];

/** The roles of the employees at each location. */
const CREW: readonly (RoleName | null)[] = ['manager', 'cashier', 'cashier', null];

export const SEED_ACCOUNT: AccountPlan = {
  bankName: 'First Harbor Bank',
  type: 'BUSINESS_CHECKING',
  routingNumber: '122105278',
  number: '0004417720931',
};

export interface SeedBusiness {
  readonly merchant: NewMerchant;
  readonly people: readonly Person[];
  readonly locationPlans: readonly LocationPlan[];
  readonly domain: string;
}

/** A business with more payments has several locations. */
const PAYMENTS_PER_LOCATION = 200;

/** The shares of payments by channel. */
const SHARES = { register: 0.8, application: 0.15, store: 0.05 };
/** Payments per sale or order: more than one if split or declined, none if never paid. */
const PAYMENTS_EACH = { register: 1.076, application: 1, store: 0.92 };
/** The average of the weights of the days of a week, see day.ts. */
const AVERAGE_DAY_WEIGHT = 7.25 / 7;

export function chooseBusiness(
  random: SeededRandom,
  {
    number,
    paymentsPerDay,
    clock,
  }: { readonly number: number; readonly paymentsPerDay: number; readonly clock: Clock },
): SeedBusiness {
  const words = [random.pick(FIRST_WORDS), random.pick(SECOND_WORDS)];
  const owner = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)] as const;
  const towns = Array.from({ length: Math.ceil(paymentsPerDay / PAYMENTS_PER_LOCATION) }, () => random.pick(TOWNS));
  const domain = `${words.join('-').toLowerCase()}-${number}.example`;
  return {
    merchant: {
      businessName: `${words.join(' & ')} ${number}`,
      ownerName: owner.join(' '),
      ownerEmail: `owner@${domain}`,
      country: 'US',
      languageCode: 'en-US',
      currency: CURRENCY,
      businessType: 'RESTAURANTS',
      approved: true,
      isDemo: false,
      clock,
      locations: towns.map(({ name, timezone }, index) => ({ name: `${name} ${index + 1}`, timezone })),
    },
    people: [
      [...owner, 'owner', towns.map((_, index) => index)],
      ...towns.flatMap((_, index) =>
        CREW.map((role): Person => [random.pick(FIRST_NAMES), random.pick(LAST_NAMES), role, [index]]),
      ),
    ],
    locationPlans: towns.map((town, index) => toLocationPlan(town, index, paymentsPerDay / towns.length)),
    domain,
  };
}

function toLocationPlan({ tax, tickets, neighbourhood }: Town, index: number, paymentsPerDay: number): LocationPlan {
  const perDay = (channel: keyof typeof SHARES): number =>
    (paymentsPerDay * SHARES[channel]) / PAYMENTS_EACH[channel] / AVERAGE_DAY_WEIGHT;
  return {
    register: `Counter ${index + 1}`,
    opensAtHour: 7,
    hoursOpen: 12,
    closedOn: null,
    tax,
    tickets: tickets(),
    neighbourhood,
    salesPerDay: perDay('register'),
    onlineSalesPerDay: perDay('application'),
    ordersPerDay: perDay('store'),
  };
}
