/** The register's view of its device, with the business and the location that it needs for receipts. */
import { MAX_DELAY_MS } from '../../access/devices/register-writes.js';
import { DeviceSettings } from '../../access/devices/settings.js';
import { Money, toMoney } from '../../api/money.js';
import { about, Bool, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { HOUR_MS, type Instant, printMilliseconds } from '../../base/time.js';
import type { Device } from '../../identity/caller.js';
import type { OfferedCard } from '../../processor/offered-cards.js';
import { pictureUrl } from '../pictures/view.js';
import { Address } from './address.view.js';
import { SalesTax, toSalesTax } from './location.view.js';
import type { Location, Merchant } from './model.js';

const RegisterBusiness = model('RegisterBusiness', {
  id: about(
    'The id of the merchant. Addresses of receipts have it: `/receipts/{payment_id}?merchant={id}`.',
    Type.String(),
  ),
  name: about('The name of the business.', Type.String()),
  currency: about('The currency of all its money, in three letters (ISO 4217).', Type.String()),
  country: about('The country, in two letters (ISO 3166).', Type.String()),
  language_code: about('The language for receipts, for example `en-US`.', Type.String()),
});

const RegisterLocation = model('RegisterLocation', {
  id: about('The id of the location.', Type.String()),
  name: about('The name of the location.', Type.String()),
  timezone: about('The time zone, for example `America/New_York`.', Type.String()),
  address: about('The postal address. Absent without one.', optional(Address)),
  phone: about('The phone number. Absent without one.', optional(Type.String())),
  logo_url: about('The picture on receipts, as a path of this server. Absent without one.', optional(Type.String())),
  receipt_text: about('The last lines of receipts. Absent without any.', optional(Type.String())),
  tip_presets: about(
    'What the register offers as tips, in per cent, in ascending order. Empty: the location takes no tips.',
    Type.Array(Type.Integer()),
  ),
  tips_enabled: about('Whether the register asks for a tip.', Bool),
  sales_tax: about('The tax on amounts that are not in the catalogue. Absent without one.', optional(SalesTax)),
});

const TestSourceModel = model('RegisterTestSource', {
  source_id: about('What a tender sends to charge this card.', Type.String()),
  label: about('What people call the card.', Type.String()),
  brand: about('The brand of the card.', Type.String()),
  last_4: about('The last four digits of the card.', Type.String()),
  kind: about('Whether it is a card or a gift card.', choice(['CARD', 'GIFT_CARD'])),
  outcome: about(
    '`APPROVED`, `HALF_BALANCE` for a gift card that covers a half, or the code of the decline.',
    Type.String(),
  ),
});

export const RegisterDevice = model('RegisterDevice', {
  id: about('The id of the device.', Type.String()),
  name: about('The name of the register.', Type.String()),
  location_id: about('Where the register stands.', Type.String()),
  now: about("The merchant's business time, with which a register corrects its own.", Time),
  mode: about('Whether money moves: never in a sandbox.', choice(['sandbox', 'production'])),
  settings: about('How this register behaves.', DeviceSettings),
  business: about('The business.', RegisterBusiness),
  location: about('Where the register stands.', RegisterLocation),
  restrict_discounts: about(
    'Whether every discount, and every price below the catalogue, requires REGISTER_APPLY_RESTRICTED_DISCOUNTS.',
    Bool,
  ),
  // Decision 0155.
  offline: about(
    'What the register may do without a network.',
    model('RegisterOffline', {
      cards_allowed: about('Whether cards may be kept and charged later.', Bool),
      card_limit_money: about('How much each kept card may pay. Absent: any amount.', optional(Money)),
      max_age_hours: about('How many hours a write may be kept.', Type.Integer()),
    }),
  ),
  test_sources: about(
    'Cards to tap instead of a card reader. Only in a sandbox with the simulator.',
    optional(Type.Array(TestSourceModel)),
  ),
});

interface DeviceScene {
  readonly device: Device;
  readonly settings: Static<typeof DeviceSettings>;
  readonly merchant: Merchant;
  readonly location: Location;
  readonly mode: 'sandbox' | 'production';
  readonly cards: readonly OfferedCard[] | undefined;
  readonly now: Instant;
}

export function toRegisterDevice(scene: DeviceScene): Static<typeof RegisterDevice> {
  const { device, settings, merchant, location, mode, cards, now } = scene;
  const { offlineCardLimit, restrictsDiscounts } = device.merchant;
  return {
    id: device.id,
    name: settings.name,
    location_id: device.locationId,
    now: printMilliseconds(now),
    mode,
    settings,
    business: {
      id: merchant.id,
      name: merchant.businessName,
      currency: merchant.currency,
      country: merchant.country,
      language_code: merchant.languageCode,
    },
    location: toLocation(merchant, location),
    restrict_discounts: restrictsDiscounts,
    offline: {
      cards_allowed: offlineCardLimit !== null,
      ...(offlineCardLimit !== null && { card_limit_money: toMoney(offlineCardLimit, merchant.currency) }),
      max_age_hours: MAX_DELAY_MS / HOUR_MS,
    },
    ...(cards && {
      test_sources: cards.map(({ sourceId, label, brand, last4, kind, outcome }) => ({
        source_id: sourceId,
        label,
        brand,
        last_4: last4,
        kind,
        outcome,
      })),
    }),
  };
}

function toLocation(merchant: Merchant, { id, name, timezone, profile }: Location): Static<typeof RegisterLocation> {
  const { address, phoneNumber, logoPictureId, receiptText, tipPercentages = [], salesTax } = profile;
  return {
    id,
    name,
    timezone,
    tip_presets: [...tipPercentages],
    tips_enabled: tipPercentages.length > 0,
    ...present({
      address,
      phone: phoneNumber,
      logo_url: logoPictureId === undefined ? undefined : pictureUrl(merchant.id, logoPictureId),
      receipt_text: receiptText,
      sales_tax: salesTax && toSalesTax(salesTax),
    }),
  };
}
