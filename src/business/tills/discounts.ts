/** Checks the permission to apply discounts at a register (decision 0110). */
import { wasSignedIn } from '../../access/devices/employee-sign-in.js';
import { readOccurredAt } from '../../access/devices/register-writes.js';
import { Refusal } from '../../base/errors.js';
import { actorOf } from '../../identity/audit.js';
import type { ReceiptInput } from '../receipts/model.js';
import type { SaleContext } from './actions.js';

const REQUIRED_PERMISSION = 'REGISTER_APPLY_RESTRICTED_DISCOUNTS';

/**
 * If the merchant restricts discounts, every discount requires the permission: registers define their discounts themselves,
 * so their `restricted` flag proves nothing. Otherwise only discounts with that flag require it.
 */
export async function requireDiscountPermission(context: SaleContext, receipt: ReceiptInput): Promise<void> {
  const { merchant, attendant, now, occurredAt } = context;
  const appliedDiscounts = [
    ...receipt.discounts.map((discount) => ({ ...discount, field: 'discounts' })),
    ...receipt.items
      .flatMap(({ discounts }) => discounts)
      .map((each) => ({ ...each, field: 'itemizations.discounts' })),
  ];
  const [limited] = merchant.restrictsDiscounts
    ? appliedDiscounts
    : appliedDiscounts.filter(({ restricted }) => restricted);
  if (!limited) return;
  if (!attendant.permissions.has(REQUIRED_PERMISSION)) {
    const { field, name } = limited;
    throw refuse(context, name, { field, detail: `it requires ${REQUIRED_PERMISSION}` });
  }
  if (!merchant.restrictsDiscounts || occurredAt === undefined) return;
  if (await wasSignedIn(context, now - readOccurredAt(now, occurredAt))) return;
  const detail = 'it must be sent by an employee who was signed in at this device at that time';
  throw refuse(context, limited.name, { field: 'occurred_at', detail });
}

/** Records the refusal here: no other code does, and the response to a batch of offline sales is a success. */
function refuse(context: SaleContext, discount: string, { field, detail }: { field: string; detail: string }): Refusal {
  const details = { reason: 'restricted discount', discount };
  context.securityLog.record({ kind: 'ACCESS_REFUSED', ...actorOf(context), details });
  return new Refusal('FORBIDDEN', { field, detail: `The discount ${discount} is restricted: ${detail}.` });
}
