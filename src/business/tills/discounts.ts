/** Who may give discounts at a register (decision 0110). */
import { wasSignedIn } from '../../access/devices/attendance.js';
import { occurrence } from '../../access/devices/register-writes.js';
import { Refusal } from '../../base/errors.js';
import type { ReceiptInput } from '../receipts/model.js';
import type { SaleContext } from './actions.js';

const NEEDED = 'REGISTER_APPLY_RESTRICTED_DISCOUNTS';

/**
 * Where the merchant restricts discounts, each of them needs the permission: a register names its discounts itself, so what it
 * says of them proves nothing. Elsewhere only those need it that the register calls restricted.
 */
export async function requireDiscounts(context: SaleContext, receipt: ReceiptInput): Promise<void> {
  const { merchant, attendant, now, occurredAt } = context;
  const given = [
    ...receipt.discounts.map((discount) => ({ ...discount, field: 'discounts' })),
    ...receipt.items
      .flatMap(({ discounts }) => discounts)
      .map((each) => ({ ...each, field: 'itemizations.discounts' })),
  ];
  const [limited] = merchant.restrictsDiscounts ? given : given.filter(({ restricted }) => restricted);
  if (!limited) return;
  if (!attendant.permissions.has(NEEDED)) {
    const { field, name } = limited;
    throw new Refusal('FORBIDDEN', { field, detail: `The discount ${name} is restricted: it needs ${NEEDED}.` });
  }
  if (!merchant.restrictsDiscounts || occurredAt === undefined) return;
  if (await wasSignedIn(context, now - occurrence(now, occurredAt))) return;
  throw new Refusal('FORBIDDEN', {
    field: 'occurred_at',
    detail: `The discount ${limited.name} is restricted: it must be sent by an employee who was signed in at this device at that time.`,
  });
}
