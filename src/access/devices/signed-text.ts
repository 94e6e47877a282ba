/** The texts that employees sign at a register with the key that only their passcode unlocks (decision 0206). Pure. */
import { printCanonicalJson } from '../../base/canonical-json.js';

/** Who did it, where and when. */
interface Signed {
  readonly deviceId: string;
  readonly employeeId: string;
  /** As the register prints it, by the server's clock as far as it knows it. */
  readonly time: string;
}

/** As a register sends it. `time` is by the server's clock, as far as the register knows it. */
export interface Signature {
  readonly key: string;
  readonly time: string;
  readonly value: string;
}

export interface WriteToSign extends Signed {
  readonly id: string;
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ApprovalToSign extends Signed {
  readonly id: string;
  readonly operation: string;
  readonly saleId: string;
  readonly amount: number;
}

export function textOfApproval({ deviceId, employeeId, time, operation, saleId, id, amount }: ApprovalToSign): string {
  return printCanonicalJson(['approval', deviceId, employeeId, time, operation, saleId, id, amount]);
}

export function textOfWrite({ deviceId, employeeId, time, id, operation, body }: WriteToSign): string {
  return printCanonicalJson(['write', deviceId, employeeId, time, operation, id, body]);
}
