/** The register's view of its device, with the business and the location that it needs for receipts. */
import { DeviceSettings } from '../../access/devices/settings.js';
import { choice, Flag, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { type Instant, printMilliseconds } from '../../base/time.js';
import type { Device } from '../../identity/caller.js';
import type { CardToTap } from '../../processor/cards-to-tap.js';
import { pictureUrl } from '../pictures/view.js';
import { Address } from './address.js';
import { SalesTax, toSalesTax } from './location.view.js';
import type { Location, Merchant } from './model.js';

const RegisterBusiness = model('RegisterBusiness', {
  name: Type.String(),
  currency: Type.String(),
  country: Type.String(),
  language_code: Type.String(),
});

const RegisterLocation = model('RegisterLocation', {
  id: Type.String(),
  name: Type.String(),
  timezone: Type.String(),
  address: optional(Address),
  phone: optional(Type.String()),
  /** A path of this server. */
  logo_url: optional(Type.String()),
  receipt_text: optional(Type.String()),
  /** In percent, in ascending order. Empty: the location takes no tips. */
  tip_presets: Type.Array(Type.Integer()),
  tips_enabled: Flag,
  /** The tax on amounts that are not in the catalogue. */
  sales_tax: optional(SalesTax),
});

const TestSourceModel = model('RegisterTestSource', {
  source_id: Type.String(),
  label: Type.String(),
  brand: Type.String(),
  last_4: Type.String(),
  kind: choice(['CARD', 'GIFT_CARD']),
  /** APPROVED, HALF_BALANCE for a gift card that covers a half, or the code of the decline. */
  outcome: Type.String(),
});

export const RegisterDevice = model('RegisterDevice', {
  id: Type.String(),
  name: Type.String(),
  location_id: Type.String(),
  /** The time of the business, with which a register corrects its own. */
  now: Time,
  mode: choice(['sandbox', 'production']),
  settings: DeviceSettings,
  business: RegisterBusiness,
  location: RegisterLocation,
  /** Only in a sandbox: cards to tap instead of a card reader. */
  test_sources: optional(Type.Array(TestSourceModel)),
});

interface DeviceScene {
  readonly device: Device;
  readonly settings: Static<typeof DeviceSettings>;
  readonly merchant: Merchant;
  readonly location: Location;
  readonly mode: 'sandbox' | 'production';
  readonly cards: readonly CardToTap[];
  readonly now: Instant;
}

export function toRegisterDevice(scene: DeviceScene): Static<typeof RegisterDevice> {
  const { device, settings, merchant, location, mode, cards, now } = scene;
  return {
    id: device.id,
    name: settings.name,
    location_id: device.locationId,
    now: printMilliseconds(now),
    mode,
    settings,
    business: {
      name: merchant.businessName,
      currency: merchant.currency,
      country: merchant.country,
      language_code: merchant.languageCode,
    },
    location: toLocation(merchant, location),
    ...(mode === 'sandbox' && {
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
