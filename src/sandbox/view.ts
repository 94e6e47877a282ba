/** Schemas and conversions of merchants, clocks and tokens of the sandbox surface. */
import { choice, Flag, model, optional, present, type Static, Time, Type, text } from '../api/wire.js';
import { type Clock, clockAt, nowOn } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { parseTime, printMilliseconds } from '../base/time.js';
import type { NewMerchant } from '../business/merchants/actions.js';
import { Address } from '../business/merchants/address.js';
import { isTimezone } from '../business/merchants/model.js';
import type { MerchantWithLocations } from '../business/merchants/queries.js';
import { PERMISSIONS } from '../identity/permissions.js';

export const SandboxClock = model('SandboxClock', { now: Time, frozen: Flag, offset_ms: Type.Integer() });

export const SandboxMerchant = model('SandboxMerchant', {
  id: Type.String(),
  business_name: Type.String(),
  country: Type.String(),
  currency: Type.String(),
  approved: Flag,
  clock: SandboxClock,
  locations: Type.Array(model('SandboxLocation', { id: Type.String(), name: Type.String(), timezone: Type.String() })),
});

const code = (letters: number) => Type.String({ pattern: `^[A-Z]{${letters}}$` });

export const NewSandboxMerchant = Type.Object({
  business_name: optional(text(255, { minLength: 1 })),
  country: optional(code(2)),
  currency: optional(code(3)),
  language_code: optional(text(20)),
  timezone: optional(text(64, { minLength: 1 })),
  approved: optional(Flag),
  locations: optional(
    Type.Array(
      Type.Object({
        name: optional(text(255, { minLength: 1 })),
        timezone: optional(text(64, { minLength: 1 })),
        address: optional(Address),
        phone_number: optional(text(32)),
      }),
      { minItems: 1, maxItems: 50 },
    ),
  ),
  owner: optional(Type.Object({ email: text(255, { minLength: 3 }), password: text(255, { minLength: 8 }) })),
  clock: optional(Type.Object({ now: optional(Time), frozen: optional(Flag) })),
  bank_account: optional(Flag),
});

export const ClockChangeBody = Type.Object({
  advance: optional(text(64, { minLength: 1 })),
  now: optional(Time),
  frozen: optional(Flag),
});

export const NewToken = Type.Object({
  permissions: optional(Type.Array(choice(PERMISSIONS), { maxItems: 50 })),
  expires_at: optional(Time),
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
