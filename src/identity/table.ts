/** Defines the table of the audit log. */
import type { Instant } from '../base/time.js';
import { Table } from '../database/table.js';

export interface AuditEvent {
  readonly id: string;
  /** Empty if the merchant is unknown. */
  readonly merchantId: string;
  readonly occurredAt: Instant;
  readonly kind: string;
  readonly address: string | null;
  readonly accountId: string | null;
  readonly applicationId: string | null;
  readonly employeeId: string | null;
  readonly deviceId: string | null;
  readonly occurrences: number;
  readonly details: Readonly<Record<string, string>>;
}

export const auditEvents = new Table<Omit<AuditEvent, 'merchantId'>>('audit_events', {
  key: ['id'],
  columns: {
    id: { column: 'audit_event_id', as: 'value' },
    occurredAt: 'time',
    kind: 'value',
    address: 'value',
    accountId: 'value',
    applicationId: 'value',
    employeeId: 'value',
    deviceId: 'value',
    occurrences: 'value',
    details: 'json',
  },
});
