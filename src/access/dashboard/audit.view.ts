/** The format of audit events in responses. */
import { about, model, optional, present, type Static, Time, Type } from '../../api/wire.js';
import { printMilliseconds } from '../../base/time.js';
import type { AuditEvent } from '../../identity/table.js';

export const AuditEventModel = model('AuditEvent', {
  id: about('The id of the event.', Type.String()),
  occurred_at: about(
    'When it happened, in real time. An entry for several refusals is written at most five minutes later.',
    Time,
  ),
  kind: about('What happened, for programs.', Type.String()),
  occurrences: about('How many events of the same kind and origin this entry stands for.', Type.Integer()),
  merchant_id: about('The business that it is about. Absent if it is about none.', optional(Type.String())),
  address: about('The network address of the request.', optional(Type.String())),
  account_id: about('The account that did it.', optional(Type.String())),
  application_id: about('The application that did it.', optional(Type.String())),
  employee_id: about('The employee who did it.', optional(Type.String())),
  device_id: about('The register at which it was done.', optional(Type.String())),
  details: about('Further details, each with a name and a text.', Type.Record(Type.String())),
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
