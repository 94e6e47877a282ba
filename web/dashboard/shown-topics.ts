/** Which kinds of things each query shows. */
import type { Topic } from '../../src/identity/topics.js';

/** The topics that a query shows, by the name of its operation. The first match counts. A name without an entry shows all topics. */
const SHOWN: readonly (readonly [RegExp, readonly Topic[]])[] = [
  [/^show/, []],
  [/flagged/i, ['sales', 'drawers', 'timecards']],
  [/timecard|hours/i, ['timecards', 'employees']],
  [/outside|retrievecashdrawer/i, ['drawers', 'sales', 'refunds']],
  [/drawer|shift/i, ['drawers']],
  [/order/i, ['orders', 'refunds']],
  [/settlement|bankaccount|payout|balance|dispute/i, ['settlements']],
  [/sale|payment|refund|transaction|report|receipt|search/i, ['sales', 'refunds', 'orders']],
  [/employee|role/i, ['employees']],
  [/item|catalog|categor|modifier|discount|tax|store|picture/i, ['catalogue']],
  [/business|location|register/i, ['locations']],
  [/device/i, ['devices']],
  [/deliver|webhook|subscription/i, ['deliveries', 'access']],
  [/application|authorization|token|key|session|audit/i, ['access']],
];

/** Whether a query shows one of the topics that changed. */
export function isShown(name: string, changed: ReadonlySet<Topic>): boolean {
  const topics = SHOWN.find(([pattern]) => pattern.test(name))?.[1];
  if (topics === undefined) return true;
  return topics.length > 0 && (changed.has('all') || topics.some((topic) => changed.has(topic)));
}
