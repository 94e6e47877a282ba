/** The format of what the operator lists: merchants, tokens, subscriptions, and what becomes due. */
import type { TokenSummary } from '../access/token-queries.js';
import { isPersonal, toTokenId } from '../access/tokens.js';
import { about, Bool, choice, model, optional, present, type Static, Time, Type } from '../api/wire.js';
import { realNow } from '../base/clock.js';
import { printMilliseconds } from '../base/time.js';
import { DUE_KINDS, type DueWork } from '../business/due-work/model.js';
import type { Merchant } from '../business/merchants/model.js';
import type { SubscriptionAbout } from '../events/subscription-queries.js';
import { PERMISSIONS } from '../identity/permissions.js';

export const ListedMerchant = model('ListedMerchant', {
  id: about('The id of the merchant.', Type.String()),
  business_name: about('The name of the business.', Type.String()),
  country: about('The country code, two letters.', Type.String()),
  currency: about('The currency code, three letters.', Type.String()),
  approved: about('Whether employee management is approved.', Bool),
  is_demo: about('Whether it is the demo business.', Bool),
  created_at: about('When the merchant was created.', Time),
  clock_offset_ms: about("How far the merchant's clock is ahead of real time, in milliseconds.", Type.Integer()),
  clock_frozen_at: about('The time at which the clock is frozen. Absent if it runs.', optional(Time)),
});

export function toListedMerchant(merchant: Merchant): Static<typeof ListedMerchant> {
  return {
    id: merchant.id,
    business_name: merchant.businessName,
    country: merchant.country,
    currency: merchant.currency,
    approved: merchant.approved,
    is_demo: merchant.isDemo,
    created_at: printMilliseconds(merchant.createdAt),
    clock_offset_ms: merchant.clock.offsetMs,
    ...(merchant.clock.frozenAt !== null && { clock_frozen_at: printMilliseconds(merchant.clock.frozenAt) }),
  };
}

const TOKEN_STATES = ['VALID', 'EXPIRED', 'REVOKED'] as const;

export const SandboxToken = model('SandboxToken', {
  id: about('The beginning of the hash of the token.', Type.String()),
  label: about('What the token is for.', Type.String()),
  state: about('Whether the token can be used.', choice(TOKEN_STATES)),
  application_id: about('The application of the token. Absent for a personal token.', optional(Type.String())),
  permissions: about('What the token may do.', Type.Array(choice(PERMISSIONS))),
  created_at: about('When the token was created.', Time),
  expires_at: about('When the token expires. Absent: never.', optional(Time)),
  last_used_at: about('When the token was last used, to within a few minutes.', optional(Time)),
});

export function toSandboxToken(token: TokenSummary): Static<typeof SandboxToken> {
  const time = (at: TokenSummary['expiresAt']) => (at === null ? undefined : printMilliseconds(at));
  return {
    id: toTokenId(token),
    label: token.label,
    state: stateOf(token),
    permissions: [...token.permissions],
    created_at: printMilliseconds(token.createdAt),
    ...present({
      application_id: isPersonal(token) ? undefined : token.applicationId,
      expires_at: time(token.expiresAt),
      last_used_at: time(token.lastUsedAt),
    }),
  };
}

function stateOf({ revokedAt, expiresAt }: TokenSummary): (typeof TOKEN_STATES)[number] {
  if (revokedAt !== null) return 'REVOKED';
  return expiresAt !== null && expiresAt <= realNow() ? 'EXPIRED' : 'VALID';
}

export const ListedSubscription = model('ListedSubscription', {
  id: about('The id of the subscription.', Type.String()),
  name: about('The name of the subscription.', Type.String()),
  application_id: about('The application that is subscribed.', Type.String()),
  application_name: about('The name of that application.', Type.String()),
  generation: about('The generation of its events.', choice(['v1', 'v2'])),
  enabled: about('Whether events are delivered.', Bool),
  event_types: about(
    'The kinds of events that are delivered. Empty for the first generation.',
    Type.Array(Type.String()),
  ),
  notification_url: about('The address to which events are posted.', Type.String()),
  signature_key: about('The key that signs the events.', Type.String()),
});

export function toListedSubscription(found: SubscriptionAbout): Static<typeof ListedSubscription> {
  return {
    id: found.id,
    name: found.name,
    application_id: found.applicationId,
    application_name: found.applicationName,
    generation: found.generation,
    enabled: found.enabled,
    event_types: [...found.eventTypes],
    notification_url: found.notificationUrl,
    signature_key: found.signatureKey,
  };
}

export const DueWorkModel = model('DueWork', {
  kind: about('The kind of work.', choice(DUE_KINDS)),
  subject_id: about(
    'The record for which it is done: a payment, a refund, an order, a location, or the merchant.',
    Type.String(),
  ),
  due_at: about("When it is due, by the merchant's clock.", Time),
});

export function toDueWork({ kind, subjectId, dueAt }: DueWork): Static<typeof DueWorkModel> {
  return { kind, subject_id: subjectId, due_at: printMilliseconds(dueAt) };
}
