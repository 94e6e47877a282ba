/** The wire format of flagged writes of registers, for the owner. */
import { Flag as Bool, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import { FLAG_CODES } from '../../identity/kept-write.js';
import type { ReviewedWrite } from './flag-queries.js';

export const WriteFlag = model('WriteFlag', { code: choice(FLAG_CODES), detail: Type.String() });

export const FlaggedWrite = model('FlaggedWrite', {
  device_id: Type.String(),
  /** The id that the register chose for the write. */
  write_id: Type.String(),
  /** The name of the register's operation. */
  operation: Type.String(),
  employee_id: Type.String(),
  occurred_at: Time,
  arrived_at: Time,
  sale_id: optional(Type.String()),
  flags: Type.Array(WriteFlag),
  /** Whether the owner has to look at it. */
  is_open: Bool,
  reviewed_at: optional(Time),
});

export function toFlaggedWrite(write: ReviewedWrite): Static<typeof FlaggedWrite> {
  const { reviewedAt } = write;
  return {
    device_id: write.deviceId,
    write_id: write.clientId,
    operation: write.operation,
    employee_id: write.employeeId,
    occurred_at: printMilliseconds(write.occurredAt),
    arrived_at: printMilliseconds(write.arrivedAt),
    flags: [...write.flags],
    is_open: write.isOpen,
    ...present({ sale_id: write.saleId, reviewed_at: reviewedAt === null ? null : printMilliseconds(reviewedAt) }),
  };
}
