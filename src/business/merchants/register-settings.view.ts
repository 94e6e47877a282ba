/** View of register settings on the dashboard and sandbox surfaces. */
import { fromWireAmount, Money, toMoney, WireAmount } from '../../api/money.js';
import { about, Bool, model, optional, type Static, Type } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import type { Amount } from '../../base/money.js';
import type { CallerMerchant } from '../../identity/caller.js';

/** What the operator of a sandbox can set. */
export const DiscountSettings = model('DiscountSettings', {
  restrict_discounts: about('Whether every discount at a register requires REGISTER_APPLY_RESTRICTED_DISCOUNTS.', Bool),
});

export const RegisterSettings = model('RegisterSettings', {
  restrict_discounts: about('Whether every discount at a register requires REGISTER_APPLY_RESTRICTED_DISCOUNTS.', Bool),
  // Decision 0155.
  offline_cards: about(
    'Cards that registers keep while they are offline, to be charged later.',
    Type.Object({
      allowed: about('Whether registers may keep cards.', Bool),
      limit_money: about('How much each kept card may pay. Absent: any amount.', optional(Money)),
    }),
  ),
  // Decision 0191.
  page_keeps_cards: about(
    "Whether this server's own register page can keep cards: only the test cards of a sandbox. The token of a card reader needs the network. Registers that are programs of others can keep cards.",
    Bool,
  ),
});

/** Without `offline_cards`, that setting stays as it is. */
export const RegisterSettingsToEdit = Type.Object({
  restrict_discounts: about('Whether every discount at a register requires REGISTER_APPLY_RESTRICTED_DISCOUNTS.', Bool),
  offline_cards: about(
    'Cards that registers keep while they are offline. Absent: unchanged.',
    optional(
      Type.Object({
        allowed: about('Whether registers may keep cards.', Bool),
        limit_money: about('How much each kept card may pay. Absent: any amount.', optional(WireAmount)),
      }),
    ),
  ),
});

type Settings = Pick<CallerMerchant, 'restrictsDiscounts' | 'offlineCardLimit' | 'currency' | 'processorId'>;

export function toRegisterSettings(
  { restrictsDiscounts, offlineCardLimit, currency, processorId }: Settings,
  { offersTestCards }: { readonly offersTestCards: boolean },
): Static<typeof RegisterSettings> {
  return {
    restrict_discounts: restrictsDiscounts,
    offline_cards: {
      allowed: offlineCardLimit !== null,
      ...(offlineCardLimit !== null && { limit_money: toMoney(offlineCardLimit, currency) }),
    },
    page_keeps_cards: offersTestCards && processorId === null,
  };
}

/** The limit of each card payment; null if cards are not kept. */
export function fromOfflineCards(
  { allowed, limit_money }: { readonly allowed: boolean; readonly limit_money?: Static<typeof WireAmount> },
  currency: string,
): Amount | null {
  if (!allowed) return null;
  const field = 'offline_cards.limit_money';
  if (!limit_money) {
    throw new Refusal('MISSING_REQUIRED_PARAMETER', { field, detail: `${field} is required to allow offline cards.` });
  }
  return fromWireAmount(limit_money, { currency, field, least: 1 });
}
