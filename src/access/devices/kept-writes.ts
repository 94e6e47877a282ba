/** Admits writes that a register kept while it was offline (decision 0155), and records the flags of writes (decision 0157). */
import type { AttendantContext } from '../../api/operation.js';
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { type ActorContext, actorOf, auditChange } from '../../identity/audit.js';
import type { Flag, FlagCode } from '../../identity/kept-write.js';
import { type FlaggedWrite, registerFlags } from './table.js';

/** A corrected time is for information only. */
const FOR_INFORMATION: readonly FlagCode[] = ['CLOCK_CORRECTED'];

/** Call it for new writes only. A retry of a recorded write gets its response, even if the write would be refused now. */
export function admitKeptWrite({ kept }: Pick<AttendantContext, 'kept'>): void {
  if (kept?.refusal) throw kept.refusal;
}

/** A write that can be flagged while it is decided, for a sale if it belongs to one. */
export interface FlaggingWrite extends Pick<AttendantContext, 'kept'> {
  readonly flag: (found: Flag, saleId?: string) => void;
}

/** What went out of a register that was offline: the owner sees it, though the employee may do it (decision 0206). */
export function reportPaidOut(
  change: Change,
  write: FlaggingWrite & ActorContext,
  { amount, saleId }: { readonly amount: Amount; readonly saleId?: string },
): void {
  const { kept, flag } = write;
  if (!kept) return;
  flag({ code: 'PAID_OUT_OFFLINE', detail: 'Money or goods went back while the register was offline.' }, saleId);
  auditChange(change, {
    kind: 'PAID_OUT_OFFLINE',
    ...actorOf(write),
    details: {
      operation: kept.operation,
      write_id: kept.id,
      amount: String(amount),
      ...(saleId !== undefined && { sale_id: saleId }),
    },
  });
}

interface FoundFlags {
  readonly at: Instant;
  readonly saleId?: string | null;
  /** Flags that were found while the write was decided. */
  readonly more?: readonly Flag[];
  /** A write that was sent online is flagged only for what was found. */
  readonly online?: { readonly id: string; readonly operation: string };
}

/** Records what the owner should look at, in the commit that makes the write. */
export async function recordFlags(
  change: Change,
  { kept, device, attendant, now }: Pick<AttendantContext, 'kept' | 'device' | 'attendant' | 'now'>,
  { at, saleId = null, more = [], online }: FoundFlags,
): Promise<void> {
  const write = kept ?? online;
  const flags = [...(kept?.flags ?? []), ...more];
  if (!write || flags.length === 0) return;
  await saveFlags(change, {
    deviceId: device.id,
    clientId: write.id,
    operation: write.operation,
    employeeId: attendant.employeeId,
    occurredAt: at,
    arrivedAt: now,
    flags,
    saleId,
    isOpen: flags.some(({ code }) => !FOR_INFORMATION.includes(code)),
  });
}

/** A sale and another write can have the same id. */
async function saveFlags(change: Change, write: FlaggedWrite): Promise<void> {
  const { deviceId, clientId } = write;
  const known = await change.read(registerFlags, { deviceId, clientId });
  if (!known) {
    change.insert(registerFlags, { ...write, reviewedAt: null });
    return;
  }
  const flags = [...known.flags, ...write.flags];
  change.save(registerFlags, known, { ...known, flags, isOpen: known.isOpen || write.isOpen });
}
