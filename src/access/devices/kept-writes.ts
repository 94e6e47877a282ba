/** Admits writes that a register kept while it was offline, and records their flags (decision 0155). */
import type { AttendantContext } from '../../api/operation.js';
import type { Instant } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import type { Flag, FlagCode } from '../../identity/kept-write.js';
import { insertFlags } from './flag-queries.js';

/** A corrected time is for information only. */
const FOR_INFORMATION: readonly FlagCode[] = ['CLOCK_CORRECTED'];

/** Call it for new writes only. A retry of a recorded write gets its response, even if the write would be refused now. */
export function admitKeptWrite({ kept }: Pick<AttendantContext, 'kept'>): void {
  if (kept?.refusal) throw kept.refusal;
}

/** Records the flags of a kept write in the commit that makes it. `more` are flags that were found while the write was decided. */
export function recordFlags(
  change: Change,
  { kept, device, attendant, now }: Pick<AttendantContext, 'kept' | 'device' | 'attendant' | 'now'>,
  { at, saleId = null, more = [] }: { at: Instant; saleId?: string | null; more?: readonly Flag[] },
): void {
  if (!kept) return;
  const flags = [...kept.flags, ...more];
  if (flags.length === 0) return;
  insertFlags(change, {
    deviceId: device.id,
    clientId: kept.id,
    operation: kept.operation,
    employeeId: attendant.employeeId,
    occurredAt: at,
    arrivedAt: now,
    flags,
    saleId,
    isOpen: flags.some(({ code }) => !FOR_INFORMATION.includes(code)),
  });
}
