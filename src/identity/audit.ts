/** The audit log: changes of credentials, sessions and the mode, with actor and address (decision 0120). */
import { realNow } from '../base/clock.js';
import { realIds } from '../base/ids.js';
import { type Change, changeIn } from '../database/change.js';
import type { Database, Tx } from '../database/database.js';
import { type AuditEvent, auditEvents } from './table.js';

export const AUDIT_KINDS = [
  'ACCESS_REFUSED',
  'ACCOUNT_KEY_REPLACED',
  'ADJUSTMENT_CREATED',
  'APPLICATION_REGISTERED',
  'APPLICATION_SECRET_ROTATED',
  'APPROVAL_GIVEN',
  'AUTHORIZATION_GRANTED',
  'AUTHORIZATION_REVOKED',
  'BACKUP_MADE',
  'BACKUP_RESTORED',
  'BANK_ACCOUNT_LINKED',
  'BANK_ACCOUNT_PUT_IN_FORCE',
  'BUSINESS_CHANGED',
  'BUYER_ERASED',
  'BUYER_EXPORTED',
  'CLOCK_CHANGED',
  'DEVICE_PAIRED',
  'DEVICE_RENAMED',
  'DEVICE_SETTINGS_CHANGED',
  'DEVICE_UNPAIRED',
  'DISCOUNT_APPROVED',
  'EMPLOYEE_SIGNED_IN',
  'EMPLOYEE_SIGN_IN_FAILED',
  'FINDING_ACKNOWLEDGED',
  'HOLD_PLACED',
  'HOLD_RELEASED',
  'ITEM_CHANGED_AT_REGISTER',
  'LOCATION_CHANGED',
  'LOCATION_CREATED',
  'MERCHANT_APPROVAL_REMOVED',
  'MERCHANT_APPROVED',
  'MERCHANT_CREATED',
  'MERCHANT_RESET',
  'MODE_CHANGED',
  'MODE_RECORDED',
  'OWNER_SIGNED_IN',
  'OWNER_SIGNED_OUT',
  'OWNER_SIGN_IN_FAILED',
  'PAID_OUT_OFFLINE',
  'PASSCODE_SET',
  'PASSWORD_CHANGED',
  'PASSWORD_CONFIRMED',
  'PASSWORD_RESET',
  'PROCESSOR_CHOSEN',
  'PROCESSOR_CLEARED',
  'PROCESSOR_MOVED',
  'PROCESSOR_SECRET_REPLACED',
  'PROCESSOR_SECRET_ROTATED',
  'PUBLISHABLE_KEY_CREATED',
  'PUBLISHABLE_KEY_REVOKED',
  'REFUND_CREATED',
  'REGISTER_SETTINGS_CHANGED',
  'SALES_ARCHIVED',
  'SESSIONS_ENDED',
  'SETTLEMENT_FAILED',
  'SNAPSHOT_TAKEN',
  'STORE_CHANGED',
  'TOKEN_CREATED',
  'TOKEN_REVOKED',
  'WEBHOOK_ADDRESS_SET',
  'WEBHOOK_KEY_ROTATED',
  'WEBHOOK_RESENT',
  'WEBHOOK_SUBSCRIPTION_CHANGED',
  'WEBHOOK_SUBSCRIPTION_CREATED',
  'WEBHOOK_SUBSCRIPTION_ENDED',
] as const;

export type AuditKind = (typeof AUDIT_KINDS)[number];

/** Who made the change. Unknown fields are absent. */
export interface AuditActor {
  readonly merchantId?: string | undefined;
  readonly address?: string | undefined;
  readonly accountId?: string | undefined;
  readonly applicationId?: string | undefined;
  readonly employeeId?: string | undefined;
  readonly deviceId?: string | undefined;
}

export interface AuditEntry extends AuditActor {
  readonly kind: AuditKind;
  /** The number of equal events that this entry represents; 1 if absent. */
  readonly occurrences?: number;
  /** Ids and names; never a secret. */
  readonly details?: Readonly<Record<string, string>>;
}

/** Call it in the transaction of the change that it records. */
export async function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  await changeIn(tx, entry.merchantId ?? '', (change) => auditChange(change, entry));
}

/** Adds the entry to a change, whose commit then records both. */
export function auditChange(change: Change, entry: AuditEntry): void {
  change.insert(auditEvents, toEvent(entry));
}

function toEvent(entry: AuditEntry): AuditEvent {
  return {
    id: realIds.newId(24),
    occurredAt: realNow(),
    kind: entry.kind,
    merchantId: entry.merchantId ?? '',
    address: entry.address ?? null,
    accountId: entry.accountId ?? null,
    applicationId: entry.applicationId ?? null,
    employeeId: entry.employeeId ?? null,
    deviceId: entry.deviceId ?? null,
    occurrences: entry.occurrences ?? 1,
    details: entry.details ?? {},
  };
}

/** Makes a change and records it in one commit. Records nothing if `change` returns `false`: it found nothing to change. */
export async function changeAudited<Result>(
  database: Database,
  entry: AuditEntry,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (tx) => {
    const result = await change(tx);
    if (result !== false) await recordAudit(tx, entry);
    return result;
  });
}

/** The parts of a request's context that identify the caller. */
export interface ActorContext {
  readonly visitor?: { readonly address: string };
  readonly merchant?: { readonly id: string };
  readonly account?: { readonly id: string };
  readonly caller?: { readonly applicationId: string };
  readonly application?: { readonly id: string };
  readonly device?: { readonly id: string };
  readonly attendant?: { readonly employeeId: string };
}

export function actorOf({
  visitor,
  merchant,
  account,
  caller,
  application,
  device,
  attendant,
}: ActorContext): AuditActor {
  return {
    merchantId: merchant?.id,
    address: visitor?.address,
    accountId: account?.id,
    applicationId: caller?.applicationId ?? application?.id,
    deviceId: device?.id,
    employeeId: attendant?.employeeId,
  };
}
