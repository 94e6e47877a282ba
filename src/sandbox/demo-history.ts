/** Thirteen months of Juniper & Rye: where their registers stand, when they are open, where their money goes. */
import { insertRegisteredApplication } from '../access/oauth-queries.js';
import { insertDevice } from '../access/register-queries.js';
import { newId, newSecret, withIdsFrom } from '../base/ids.js';
import { hashSecret } from '../base/secrets.js';
import { DAY_MS, type Instant, instant } from '../base/time.js';
import { type BankAccount, suffixOf } from '../business/bank-accounts/model.js';
import { insertBankAccount } from '../business/bank-accounts/queries.js';
import type { Employee } from '../business/employees/model.js';
import type { Location, Merchant } from '../business/merchants/model.js';
import type { Tx } from '../database/database.js';
import type { Chance } from './history/chance.js';
import { salesTax } from './history/menu.js';
import { type Place, StoryIds } from './history/story.js';
import { writeHistory } from './history/write.js';

/** Thirteen months. */
const HISTORY_DAYS = 396;

/** By the number of the location (demo-business.ts says the same to people). */
const PLACES = [
  {
    register: 'Mission counter',
    opensAtHour: 7,
    hoursOpen: 11,
    restsOn: null,
    tax: salesTax('CA sales tax', '0.08625'),
  },
  { register: 'Bergen counter', opensAtHour: 8, hoursOpen: 12, restsOn: 1, tax: salesTax('NY sales tax', '0.08875') },
] as const;

const SALES_A_DAY = 8;
const ONLINE_SALES_A_DAY = 1.5;

/** Made up, with digits that add up. The first one is in force. */
const ACCOUNTS = [
  { bankName: 'First Harbor Bank', type: 'BUSINESS_CHECKING', routingNumber: '122105278', number: '0004417720931' },
  { bankName: 'Gowanus Savings', type: 'SAVINGS', routingNumber: '123456780', number: '55820017' },
] as const;

export interface DemoPast {
  readonly merchant: Merchant;
  readonly locations: readonly Location[];
  readonly staff: readonly Employee[];
  readonly chance: Chance;
  readonly now: Instant;
  readonly keyedHash: (text: string) => Buffer;
}

/** What stands there before the first sale, then every day up to now. */
export async function writeDemoHistory(tx: Tx, past: DemoPast): Promise<void> {
  const { merchant, chance, now } = past;
  const ids = new StoryIds(chance, merchant.createdAt);
  const { places, applicationId, accounts } = withIdsFrom(ids, () => ({
    places: toPlaces(past),
    applicationId: `sandbox-sq0idb-${newId(22)}`,
    accounts: ACCOUNTS.map((account, index) => ({ account, kept: toBankAccount(past, account, index === 0) })),
  }));
  for (const { device } of places) {
    const record = { ...device, createdAt: merchant.createdAt, unpairedAt: null };
    await insertDevice(tx, merchant.id, record, hashSecret(newSecret('dev_', 64)));
  }
  for (const { account, kept } of accounts) {
    const hash = past.keyedHash(`${account.routingNumber}:${account.number}`);
    await insertBankAccount(tx, merchant.id, kept, hash);
  }
  await insertRegisteredApplication(tx, {
    id: applicationId,
    name: 'Juniper & Rye online',
    merchantId: merchant.id,
    redirectUrls: ['https://juniper-and-rye.example/oauth'],
    secretHash: hashSecret(newSecret('sandbox-sq0csb-', 58)),
    createdAt: merchant.createdAt,
  });
  await writeHistory(tx, {
    story: { merchantId: merchant.id, currency: merchant.currency, applicationId, chance, now },
    places,
    from: instant(now - HISTORY_DAYS * DAY_MS),
    bankFailsAfter: instant(now - 40 * DAY_MS),
  });
}

function toPlaces({ locations, staff }: DemoPast): Place[] {
  return PLACES.flatMap(({ register, ...hours }, index): Place[] => {
    const location = locations[index];
    if (!location) return [];
    return [
      {
        ...hours,
        locationId: location.id,
        timezone: location.timezone,
        device: { id: newId(20), name: register, locationId: location.id },
        // The owner does not stand at a counter.
        staff: staff.filter(({ locationIds, isOwner }) => !isOwner && locationIds.includes(location.id)),
        salesADay: SALES_A_DAY,
        onlineSalesADay: ONLINE_SALES_A_DAY,
      },
    ];
  });
}

function toBankAccount(
  { merchant }: DemoPast,
  { bankName, type, routingNumber, number }: (typeof ACCOUNTS)[number],
  inForce: boolean,
): BankAccount {
  return {
    id: newId(24),
    bankName,
    name: merchant.businessName,
    type,
    routingNumber,
    accountNumberSuffix: suffixOf(number),
    currency: merchant.currency,
    inForce,
    linkedAt: merchant.createdAt,
  };
}
