/** The format of audit events in responses. */
import { model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import type { AuditEvent } from '../../identity/audit-queries.js';

export const AuditEventModel = model('AuditEvent', {
  id: Type.String(),
  occurred_at: Time,
  kind: Type.String(),
  /** The number of equal events that this entry represents. */
  occurrences: Type.Integer(),
  merchant_id: optional(Type.String()),
  address: optional(Type.String()),
  account_id: optional(Type.String()),
  application_id: optional(Type.String()),
  employee_id: optional(Type.String()),
  device_id: optional(Type.String()),
  details: Type.Record(Type.String(), Type.String()),
});

export function toAuditEvent(event: AuditEvent): Static<typeof AuditEventModel> {
  return {
    id: event.id,
    occurred_at: printMilliseconds(event.occurredAt),
    kind: event.kind,
    occurrences: event.occurrences,
    ...present({
      merchant_id: event.merchantId || null,
      address: event.address,
      account_id: event.accountId,
      application_id: event.applicationId,
      employee_id: event.employeeId,
      device_id: event.deviceId,
    }),
    details: event.details,
  };
}
