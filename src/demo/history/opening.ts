/** Writes what a generated business needs before its first sale: registers, bank accounts, an application, online stores. */
import { insertDevice } from '../../access/devices/queries.js';
import { insertRegisteredApplication } from '../../access/oauth/queries.js';
import { newSecret } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import type { Instant } from '../../base/time.js';
import { type BankAccount, suffixOf } from '../../business/bank-accounts/model.js';
import { insertBankAccount } from '../../business/bank-accounts/queries.js';
import { addToCatalogue } from '../../business/catalogue/actions.js';
import { type Catalogue, offerOnline } from '../../business/catalogue/model.js';
import type { Employee } from '../../business/employees/model.js';
import type { Location, Merchant } from '../../business/merchants/model.js';
import { type Picture, parsePicture } from '../../business/pictures/model.js';
import { insertPicture, updatePictureUse } from '../../business/pictures/queries.js';
import type { TaxInput } from '../../business/receipts/model.js';
import { insertStore } from '../../business/stores/queries.js';
import type { Tx } from '../../database/database.js';
import { toCatalogue } from './catalogue.js';
import { drawItem } from './drawings.js';
import type { Scenario, ScenarioIds, SeededLocation } from './scenario.js';
import type { SeededRandom } from './seeded-random.js';
import { toStore } from './store.js';

/** The properties of a location; plans have the order of the merchant's locations. */
export type LocationPlan = Pick<
  SeededLocation,
  | 'neighbourhood'
  | 'opensAtHour'
  | 'hoursOpen'
  | 'closedOn'
  | 'tickets'
  | 'salesPerDay'
  | 'onlineSalesPerDay'
  | 'ordersPerDay'
> & { readonly register: string; readonly tax: TaxInput };

export type AccountPlan = Pick<BankAccount, 'bankName' | 'type' | 'routingNumber'> & { readonly number: string };

export interface Opening {
  readonly merchant: Merchant;
  readonly locations: readonly Location[];
  readonly staff: readonly Employee[];
  readonly locationPlans: readonly LocationPlan[];
  /** The first one is active. */
  readonly accounts: readonly AccountPlan[];
  readonly website: string;
  /** The ids of the catalogue are derived from it, like those of the tickets. */
  readonly menuOwner: string;
  /** Whether its items have pictures. */
  readonly hasPictures: boolean;
  readonly random: SeededRandom;
  readonly ids: ScenarioIds;
  readonly now: Instant;
  readonly keyedHash: (text: string) => Buffer;
}

export interface OpenedBusiness {
  readonly scenario: Scenario;
  readonly locations: readonly SeededLocation[];
}

interface ItemPicture {
  readonly itemId: string;
  readonly picture: Picture;
}

function drawPictures({ items, categories }: Catalogue): readonly ItemPicture[] {
  return items.flatMap(({ id, name, categoryId }) => {
    const content = drawItem(name, categories.find((each) => each.id === categoryId)?.name ?? '');
    const picture = content && parsePicture(content);
    return picture ? [{ itemId: id, picture }] : [];
  });
}

function withPictures(catalogue: Catalogue, pictures: readonly ItemPicture[]): Catalogue {
  const ids = new Map(pictures.map(({ itemId, picture }) => [itemId, picture.id]));
  return { ...catalogue, items: catalogue.items.map((item) => ({ ...item, pictureId: ids.get(item.id) ?? null })) };
}

export async function openBusiness(tx: Tx, opening: Opening): Promise<OpenedBusiness> {
  const { merchant, random, ids, now, keyedHash } = opening;
  const planned = opening.locationPlans.flatMap(({ tax }, index) => {
    const locationId = opening.locations[index]?.id;
    return locationId === undefined ? [] : [{ locationId, tax }];
  });
  const catalogue = toCatalogue(opening.menuOwner, planned, merchant.createdAt);
  const locations = opening.locations.flatMap(
    (location, index) => toSeededLocation(opening, location, opening.locationPlans[index], catalogue) ?? [],
  );
  const applicationId = `sandbox-sq0idb-${ids.newId(22)}`;
  const accounts = opening.accounts.map((account, index) => ({
    account,
    record: toBankAccount(ids, merchant, account, index === 0),
  }));
  const pictures = opening.hasPictures ? drawPictures(catalogue) : [];
  // Two items can have the same picture, which is stored once.
  const drawn = new Map(pictures.map(({ picture }) => [picture.id, picture]));
  for (const picture of drawn.values()) await insertPicture(tx, merchant.id, picture, merchant.createdAt);
  await Promise.all([
    addToCatalogue(tx, merchant.id, withPictures(catalogue, pictures)),
    ...pictures.map(({ itemId, picture }) => updatePictureUse(tx, merchant.id, `item:${itemId}`, picture.id)),
    ...locations.flatMap(({ device, store }) => [
      insertDevice(tx, merchant.id, toDevice(device, merchant), null),
      insertStore(tx, merchant.id, store),
    ]),
    ...accounts.map(({ account, record }) =>
      insertBankAccount(tx, merchant.id, record, keyedHash(`${account.routingNumber}:${account.number}`)),
    ),
    insertRegisteredApplication(tx, {
      id: applicationId,
      name: `${merchant.businessName} online`,
      merchantId: merchant.id,
      redirectUrls: [`${opening.website}/oauth`],
      clientType: 'CONFIDENTIAL',
      secretHash: hashSecret(newSecret('sandbox-sq0csb-', 58)),
      createdAt: merchant.createdAt,
    }),
  ]);
  const bankAccountId = accounts[0]?.record.id ?? '';
  const { currency } = merchant;
  const scenario = { merchantId: merchant.id, currency, applicationId, bankAccountId, keyedHash, random, ids, now };
  return { locations, scenario };
}

function toDevice(device: SeededLocation['device'], { createdAt }: Merchant) {
  return { ...device, createdAt, unpairedAt: null };
}

function toSeededLocation(
  { staff, ids }: Opening,
  location: Location,
  plan: LocationPlan | undefined,
  catalogue: Catalogue,
): SeededLocation | undefined {
  if (!plan) return undefined;
  const { register, tax: _, ...rest } = plan;
  return {
    ...rest,
    locationId: location.id,
    timezone: location.timezone,
    device: { id: ids.newId(20), name: register, locationId: location.id },
    // The owner does not work at a register.
    staff: staff.filter(({ locationIds, isOwner }) => !isOwner && locationIds.includes(location.id)),
    store: toStore(location.id),
    goods: offerOnline(catalogue, location.id),
  };
}

function toBankAccount(
  ids: ScenarioIds,
  { businessName, currency, createdAt }: Merchant,
  { bankName, type, routingNumber, number }: AccountPlan,
  isActive: boolean,
): BankAccount {
  return {
    id: ids.newId(24),
    bankName,
    name: businessName,
    type,
    routingNumber,
    accountNumberSuffix: suffixOf(number),
    currency,
    isActive,
    linkedAt: createdAt,
  };
}
