/** What somebody allows at a register: one sale, up to one amount, once (decision 0207). */
import type { Amount } from '../../base/money.js';
import { HOUR_MS, type Instant } from '../../base/time.js';
import type { Signature } from './signed-text.js';

/** What an approval can be for. */
export const APPROVABLE = ['ringUpSale', 'editSale'] as const;

export type ApprovableOperation = (typeof APPROVABLE)[number];

/** How long after an approval the sale may follow, if the server was asked. One that is signed offline ends with its key. */
export const APPROVAL_MS = HOUR_MS;

export interface Approval {
  readonly id: string;
  readonly deviceId: string;
  /** Who allowed it. */
  readonly employeeId: string;
  readonly operation: ApprovableOperation;
  /** As the register named it. */
  readonly saleId: string;
  readonly amount: Amount;
  /** In real time. */
  readonly createdAt: Instant;
}

/** An approval as a sale names it. */
export interface NamedApproval {
  readonly id: string;
  /** Of one that was given offline: the server does not know it yet. */
  readonly signed: SignedApproval | undefined;
}

export interface SignedApproval {
  readonly employeeId: string;
  readonly amount: Amount;
  readonly signature: Signature;
}
