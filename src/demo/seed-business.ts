/** Who the businesses are that `tillhouse seed` makes: names, places and people, chosen by chance. */
import type { Clock } from '../base/clock.js';
import type { NewMerchant } from '../business/merchants/actions.js';
import { salesTax } from './history/menu.js';
import type { AccountPlan, PlacePlan } from './history/opening.js';
import type { Neighbourhood } from './history/scenario.js';
import type { SeededRandom } from './history/seeded-random.js';
import type { Person, RoleName } from './history/staff.js';
import { Tickets } from './history/tickets.js';

const CURRENCY = 'USD';

/** All of them share one menu and its ids, so that it is reckoned once, however many there are. */
const MENU_OWNER = 'seed';

/** Every town has these. */
const STREETS = ['Main Street', 'Oak Street', 'Park Avenue', 'Second Street'];

/** Where they are; what people order is the same everywhere but for its tax. */
const TOWNS = [
  town('Oakland', { region: 'CA', postalCode: '94612', dialling: '+1510555' }, 'America/Los_Angeles', '0.1025'),
  town('Boulder', { region: 'CO', postalCode: '80302', dialling: '+1303555' }, 'America/Denver', '0.08845'),
  town('Chicago', { region: 'IL', postalCode: '60607', dialling: '+1312555' }, 'America/Chicago', '0.1025'),
  town('Buffalo', { region: 'NY', postalCode: '14202', dialling: '+1716555' }, 'America/New_York', '0.0875'),
];

function town(
  name: string,
  there: Pick<Neighbourhood, 'region' | 'postalCode' | 'dialling'>,
  timezone: string,
  rate: string,
) {
  const tax = salesTax(`${there.region} sales tax`, rate);
  const neighbourhood: Neighbourhood = { ...there, locality: name, streets: STREETS };
  return {
    name,
    timezone,
    tax,
    neighbourhood,
    tickets: lazily(() => new Tickets(tax, { owner: MENU_OWNER, currency: CURRENCY })),
  };
}

type Town = (typeof TOWNS)[number];

function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
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

/** Who works at each place. */
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
  readonly places: readonly PlacePlan[];
  readonly domain: string;
}

/** More than this is too much for one counter: then there is another place. */
const PAYMENTS_PER_COUNTER = 200;

/** Of all payments so many are taken in each way. */
const SHARES = { register: 0.8, application: 0.15, store: 0.05 };
/** What one sale or order comes to in payments: split, declined, or never paid. */
const PAYMENTS_EACH = { register: 1.076, application: 1, store: 0.92 };
/** Weekends are busier than weekdays are quiet. */
const BUSY = 7.25 / 7;

export function chooseBusiness(
  chance: SeededRandom,
  {
    number,
    paymentsPerDay,
    clock,
  }: { readonly number: number; readonly paymentsPerDay: number; readonly clock: Clock },
): SeedBusiness {
  const words = [chance.pick(FIRST_WORDS), chance.pick(SECOND_WORDS)];
  const owner = [chance.pick(FIRST_NAMES), chance.pick(LAST_NAMES)] as const;
  const towns = Array.from({ length: Math.ceil(paymentsPerDay / PAYMENTS_PER_COUNTER) }, () => chance.pick(TOWNS));
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
      [...owner, 'owner', towns.map((_, place) => place)],
      ...towns.flatMap((_, place) =>
        CREW.map((role): Person => [chance.pick(FIRST_NAMES), chance.pick(LAST_NAMES), role, [place]]),
      ),
    ],
    places: towns.map((town, index) => toPlace(town, index, paymentsPerDay / towns.length)),
    domain,
  };
}

function toPlace({ tax, tickets, neighbourhood }: Town, index: number, paymentsADay: number): PlacePlan {
  const often = (way: keyof typeof SHARES): number => (paymentsADay * SHARES[way]) / PAYMENTS_EACH[way] / BUSY;
  return {
    register: `Counter ${index + 1}`,
    opensAtHour: 7,
    hoursOpen: 12,
    closedOn: null,
    tax,
    tickets: tickets(),
    neighbourhood,
    salesPerDay: often('register'),
    onlineSalesPerDay: often('application'),
    ordersPerDay: often('store'),
  };
}
