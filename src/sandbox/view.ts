/** Schemas and conversions of merchants, clocks and tokens of the sandbox surface. */
import { about, Bool, choice, model, optional, present, type Static, Time, Type, text } from '../api/wire.js';
import { type Clock, clockAt, nowOn } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { parseTime, printMilliseconds } from '../base/time.js';
import type { NewMerchant } from '../business/merchants/actions.js';
import { Address } from '../business/merchants/address.view.js';
import { isTimezone } from '../business/merchants/model.js';
import type { MerchantWithLocations } from '../business/merchants/queries.js';
import { PERMISSIONS } from '../identity/permissions.js';

export const SandboxClock = model('SandboxClock', {
  now: about("The merchant's business time.", Time),
  frozen: about('Whether the time stands still.', Bool),
  offset_ms: about('How many milliseconds the clock is ahead of real time. Negative if it is behind.', Type.Integer()),
});

export const SandboxMerchant = model('SandboxMerchant', {
  id: about('The id of the merchant.', Type.String()),
  business_name: about('The name of the business.', Type.String()),
  country: about('The country, in two letters (ISO 3166).', Type.String()),
  currency: about('The currency of all its money, in three letters (ISO 4217).', Type.String()),
  approved: about('Whether employee management is available to the merchant.', Bool),
  clock: about("The merchant's clock.", SandboxClock),
  locations: about(
    'The places where the merchant sells. The first is the main location.',
    Type.Array(
      model('SandboxLocation', {
        id: about('The id of the location.', Type.String()),
        name: about('The name of the location.', Type.String()),
        timezone: about('The time zone, for example `America/New_York`.', Type.String()),
      }),
    ),
  ),
});

const code = (letters: number) => Type.String({ pattern: `^[A-Z]{${letters}}$` });

export const NewSandboxOwner = Type.Object({
  email: about('The address with which the owner signs in.', text(255, { minLength: 3 })),
  password: about('The password of the owner.', text(255, { minLength: 8 })),
});

export const NewSandboxMerchant = Type.Object({
  business_name: about('The name of the business. Default: `Sandbox business`.', optional(text(255, { minLength: 1 }))),
  country: about('The country, in two letters (ISO 3166). Default: `US`.', optional(code(2))),
  currency: about('The currency of all its money, in three letters (ISO 4217). Default: `USD`.', optional(code(3))),
  language_code: about('The language for receipts, for example `en-US`, which is the default.', optional(text(20))),
  timezone: about(
    'The time zone of locations that name none. Default: `America/Los_Angeles`.',
    optional(text(64, { minLength: 1 })),
  ),
  approved: about('Whether employee management is available. Default: true.', optional(Bool)),
  locations: about(
    'The places where the merchant sells. Default: one, with the name `Main`.',
    optional(
      Type.Array(
        Type.Object({
          name: about(
            'The name of the location. Default: `Main`, `Location 2`, and so on.',
            optional(text(255, { minLength: 1 })),
          ),
          timezone: about(
            'The time zone of the location, for example `America/New_York`.',
            optional(text(64, { minLength: 1 })),
          ),
          address: about('The postal address, which receipts show.', optional(Address)),
          phone_number: about('The phone number, which receipts show.', optional(text(32))),
        }),
        { minItems: 1, maxItems: 50 },
      ),
    ),
  ),
  owner: about('An account that can sign in to the dashboard. Default: none.', optional(NewSandboxOwner)),
  clock: about(
    'The business time to begin with. Default: real time.',
    optional(
      Type.Object({
        now: about('The time to begin with. Default: real time.', optional(Time)),
        frozen: about('Whether the time stands still until it is moved. Default: false.', optional(Bool)),
      }),
    ),
  ),
  bank_account: about(
    'Whether a bank account with test values is linked, so that days are settled. Default: false.',
    optional(Bool),
  ),
});

export const ClockChangeBody = Type.Object({
  advance: about(
    'How far to move the clock forward: an ISO 8601 duration, for example `P61D`.',
    optional(text(64, { minLength: 1 })),
  ),
  now: about('The time to which the clock is set. It must not be before the current one.', optional(Time)),
  frozen: about('Whether the time stands still from now on.', optional(Bool)),
});

export const NewToken = Type.Object({
  permissions: about(
    'What the token may do. Default: all permissions.',
    optional(Type.Array(choice(PERMISSIONS), { maxItems: 50 })),
  ),
  expires_at: about('When the token expires, in real time. Default: never.', optional(Time)),
});

export function toSandboxClock(clock: Clock): Static<typeof SandboxClock> {
  const now = printMilliseconds(nowOn(clock));
  return { now, frozen: clock.frozenAt !== null, offset_ms: clock.offsetMs };
}

export function toSandboxMerchant({ merchant, locations }: MerchantWithLocations): Static<typeof SandboxMerchant> {
  return {
    id: merchant.id,
    business_name: merchant.businessName,
    country: merchant.country,
    currency: merchant.currency,
    approved: merchant.approved,
    clock: toSandboxClock(merchant.clock),
    locations: locations.map(({ id, name, timezone }) => ({ id, name, timezone })),
  };
}

export function fromNewSandboxMerchant(body: Static<typeof NewSandboxMerchant>): NewMerchant {
  const timezone = requireTimezone(body.timezone ?? 'America/Los_Angeles', 'timezone');
  const businessName = body.business_name ?? 'Sandbox business';
  const locations = body.locations ?? [{}];
  return {
    businessName,
    ownerName: businessName,
    ownerEmail: body.owner?.email ?? null,
    country: body.country ?? 'US',
    languageCode: body.language_code ?? 'en-US',
    currency: body.currency ?? 'USD',
    businessType: 'OTHER',
    approved: body.approved ?? true,
    isDemo: false,
    clock: fromNewClock(body.clock),
    locations: locations.map((location, index) => ({
      name: location.name ?? (index === 0 ? 'Main' : `Location ${index + 1}`),
      timezone: requireTimezone(location.timezone ?? timezone, 'locations.timezone'),
      profile: present({ address: location.address, phoneNumber: location.phone_number }),
    })),
  };
}

function fromNewClock(clock: Static<typeof NewSandboxMerchant>['clock']): Clock {
  const running: Clock = { offsetMs: 0, frozenAt: null };
  if (!clock) return running;
  const now = clock.now === undefined ? undefined : parseTime(clock.now);
  return clockAt(now ?? nowOn(running), clock.frozen ?? false);
}

function requireTimezone(name: string, field: string): string {
  if (!isTimezone(name)) {
    throw new Refusal('INVALID_VALUE', { field, detail: `${field} must be a time zone such as America/New_York.` });
  }
  return name;
}
