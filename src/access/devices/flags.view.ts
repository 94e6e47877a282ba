/** The wire format of flagged writes of registers, for the owner. */
import { about, Bool, choice, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import { FLAG_CODES } from '../../identity/kept-write.js';
import type { ReviewedWrite } from './table.js';

export const WriteFlag = model('WriteFlag', {
  code: about('Why the owner should look, for programs.', choice(FLAG_CODES)),
  detail: about('Why the owner should look, for people.', Type.String()),
});

export const FlaggedWrite = model('FlaggedWrite', {
  device_id: about('The register that made the write.', Type.String()),
  write_id: about('The id that the register gave to the write.', Type.String()),
  operation: about('What the register did, as an operation of the register surface.', Type.String()),
  employee_id: about('The employee who did it, as the register said.', Type.String()),
  occurred_at: about('When it was done, by the corrected clock of the register.', Time),
  arrived_at: about('When the register sent it.', Time),
  sale_id: about('The sale that it belongs to, if any.', optional(Type.String())),
  flags: about('What the owner should look at.', Type.Array(WriteFlag)),
  is_open: about('Whether the owner has yet to look at it.', Bool),
  reviewed_at: about('When the owner looked at it. Absent until then.', optional(Time)),
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
