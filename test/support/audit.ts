/** Reads the audit log as an owner does. */
import { expect } from 'vitest';
import { pollUntil } from './clock.js';
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

/** Without the creation of the business, which every list ends with. */
export async function listKinds(owner: TestOwner): Promise<string[]> {
  const kinds = (await listAuditEvents(owner)).map(({ kind }) => kind);
  return kinds.filter((kind) => kind !== 'MERCHANT_CREATED');
}

/** Returns the newest event of a kind. Polls, because events of refusals are written asynchronously. */
export async function findAuditEvent(
  owner: TestOwner,
  kind: string,
  belongsToMerchant: (event: WireAuditEvent) => boolean = () => true,
): Promise<WireAuditEvent> {
  const [found] = await pollUntil(
    async () => (await listAuditEvents(owner, `?kind=${kind}`)).filter(belongsToMerchant),
    (events) => events.length > 0,
    10_000,
  );
  if (!found) throw new Error(`no ${kind}`);
  return found;
}
