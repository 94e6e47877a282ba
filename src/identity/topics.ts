/** The kinds of things that change in a business. Open pages are told which of them changed, and load again what shows them. */

export const TOPICS = [
  'sales',
  'refunds',
  'orders',
  'settlements',
  'employees',
  'timecards',
  'drawers',
  'catalogue',
  'locations',
  'devices',
  'access',
  'deliveries',
  /** Anything: after a gap, or if it is not known what changed. */
  'all',
] as const;

export type Topic = (typeof TOPICS)[number];

/** The topics of a write by its path: the first match counts. A sale changes the balance that is shown with settlements. */
const BY_PATH: readonly (readonly [RegExp, readonly Topic[]])[] = [
  [/^\/api\/sandbox\//, ['all']],
  [/^\/api\/checkout\/prices$/, []], // only computes
  [/webhook|deliveries/, ['deliveries', 'access']],
  [/\/cash-drawer/, ['drawers']],
  [/refund/, ['refunds', 'sales', 'orders', 'drawers', 'settlements']],
  [/\/(?:timecards|labor)\b/, ['timecards']],
  [/\/orders?\b/, ['orders', 'sales', 'refunds', 'settlements']],
  [/\/(?:payments|sales|tenders|exchanges|flagged-writes)\b/, ['sales', 'orders', 'drawers', 'settlements']],
  [/^\/api\/register\/queue\b/, ['sales', 'refunds', 'orders', 'drawers', 'timecards', 'settlements']],
  [/\/(?:employees|roles)\b/, ['employees', 'timecards']],
  [/\/(?:settlements|bank-accounts|adjustments|disputes|holds)\b/, ['settlements', 'sales']],
  [/\/(?:items|catalogue?|categories|modifiers|discounts|taxes|stores?|pictures)\b/, ['catalogue']],
  [/\/(?:business|locations|register-settings)\b/, ['locations']],
  [/\/(?:devices?\b|pairing)/, ['devices', 'access']],
  [/\/(?:session|sessions|password|tokens|applications|authorizations|publishable-keys|oauth2)\b/, ['access']],
];

export function topicsOf(path: string): readonly Topic[] {
  return BY_PATH.find(([pattern]) => pattern.test(path))?.[1] ?? ['all'];
}
