/** The audit log as owners read it. */
import { expect } from 'vitest';
import { askUntil } from './clock.js';
import type { TestOwner } from './dashboard.js';

export interface WireAuditEvent {
  readonly id: string;
  readonly kind: string;
  readonly occurred_at: string;
  readonly occurrences: number;
  readonly address?: string;
  readonly account_id?: string;
  readonly application_id?: string;
  readonly employee_id?: string;
  readonly device_id?: string;
  readonly details: Readonly<Record<string, string>>;
}

export async function listAuditEvents(owner: TestOwner, search = ''): Promise<WireAuditEvent[]> {
  const { status, body } = await owner.call('GET', `/api/dashboard/audit-events${search}`);
  expect(status).toBe(200);
  return body.audit_events;
}

/** The newest of a kind; those that refusals make are written without anybody waiting for them. */
export async function findAuditEvent(
  owner: TestOwner,
  kind: string,
  isMeant: (event: WireAuditEvent) => boolean = () => true,
): Promise<WireAuditEvent> {
  const [found] = await askUntil(
    async () => (await listAuditEvents(owner, `?kind=${kind}`)).filter(isMeant),
    (events) => events.length > 0,
    10_000,
  );
  if (!found) throw new Error(`no ${kind}`);
  return found;
}
