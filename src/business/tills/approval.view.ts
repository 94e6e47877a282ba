/** The schemas and the view of approvals: what somebody allows for one sale at a register. */
import { APPROVABLE, APPROVAL_MS, type Approval, type NamedApproval } from '../../access/devices/approval-model.js';
import { SignatureModel } from '../../access/devices/signatures.view.js';
import { fromWireAmount, Money, toMoney, WireAmount } from '../../api/money.js';
import type { DeviceContext } from '../../api/operation.js';
import { about, choice, model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { instant, printMilliseconds } from '../../base/time.js';

/** One that was given online has its id only. */
export const SaleApproval = model('SaleApproval', {
  id: about(
    'The id of the approval: from `giveApproval`, or chosen by the register offline.',
    text(64, { minLength: 1 }),
  ),
  employee_id: about('Offline: who gave it.', optional(text(64, { minLength: 1 }))),
  amount_money: about('Offline: how much may be taken off.', optional(WireAmount)),
  signature: about(
    'Offline: of `["approval", device id, employee_id, time, operation, id of the sale, id, amount]`.',
    optional(SignatureModel),
  ),
});

export const ApprovalBody = Type.Object({
  employee_id: about('Who allows it.', text(64, { minLength: 1 })),
  passcode: about('The passcode of this employee.', text(32, { minLength: 1 })),
  operation: about('The operation that it is for.', choice(APPROVABLE)),
  sale_id: about(
    'The sale: the `id` of `ringUpSale`, which the register chooses, or the id of an open sale to edit.',
    text(64, { minLength: 1 }),
  ),
  amount_money: about('The most that discounts and lower prices may take off.', WireAmount),
  signing_key: about(
    'The public key of a new pair (ECDSA with P-256, SPKI in base64), with which the employee may give approvals offline.',
    optional(text(255, { minLength: 1 })),
  ),
});

export const SaleApprovalGiven = model('SaleApprovalGiven', {
  id: about('Send it as `approval` of the sale.', Type.String()),
  employee_id: about('Who allowed it.', Type.String()),
  operation: about('The operation that it is for.', choice(APPROVABLE)),
  sale_id: about('The sale that it is for.', Type.String()),
  amount_money: about('The most that may be taken off.', Money),
  expires_at: about('The sale has to follow before that.', Time),
});

export function toApprovalGiven(
  { id, employeeId, operation, saleId, amount }: Approval,
  { merchant, now }: Pick<DeviceContext, 'merchant' | 'now'>,
): Static<typeof SaleApprovalGiven> {
  return {
    ...{ id, employee_id: employeeId, operation, sale_id: saleId },
    amount_money: toMoney(amount, merchant.currency),
    expires_at: printMilliseconds(instant(now + APPROVAL_MS)),
  };
}

export function fromSaleApproval(
  { id, employee_id: employeeId, amount_money: money, signature }: Static<typeof SaleApproval>,
  currency: string,
): NamedApproval {
  const amount = money && fromWireAmount(money, { currency, field: 'approval.amount_money', least: 0 });
  const isSigned = employeeId !== undefined && amount !== undefined && signature !== undefined;
  return { id, signed: isSigned ? { employeeId, amount, signature } : undefined };
}
