/** Who may give discounts at a register (decision 0110). */
import { wasSignedIn } from '../../access/devices/attendance.js';
import { occurrence } from '../../access/devices/register-writes.js';
import { Refusal } from '../../base/errors.js';
import { actorOf } from '../../identity/audit.js';
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
    throw refuse(context, name, { field, detail: `it needs ${NEEDED}` });
  }
  if (!merchant.restrictsDiscounts || occurredAt === undefined) return;
  if (await wasSignedIn(context, now - occurrence(now, occurredAt))) return;
  const detail = 'it must be sent by an employee who was signed in at this device at that time';
  throw refuse(context, limited.name, { field: 'occurred_at', detail });
}

/** Noted here, since a batch of late sales is answered as a whole and refuses nothing at the door. */
function refuse(context: SaleContext, discount: string, { field, detail }: { field: string; detail: string }): Refusal {
  const details = { reason: 'restricted discount', discount };
  context.securityLog.note({ kind: 'ACCESS_REFUSED', ...actorOf(context), details });
  return new Refusal('FORBIDDEN', { field, detail: `The discount ${discount} is restricted: ${detail}.` });
}
