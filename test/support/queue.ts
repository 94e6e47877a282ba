/** Queues of registers for tests: the writes that a register kept while it was offline. */
import { randomUUID } from 'node:crypto';
import { shifted } from './clock.js';
import type { ApiResponse } from './http.js';
import type { Register } from './people.js';
import type { TestServer } from './server.js';

export const QUEUE = '/api/register/queue';

export interface KeptWrite {
  readonly id: string;
  readonly operation: string;
  readonly employee_id: string;
  readonly occurred_at: string;
  readonly body: Record<string, unknown>;
}

/** A write of the employee who is signed in, unless it names another one. */
export function keep(
  { employeeId }: Pick<Register, 'employeeId'>,
  operation: string,
  { body = {}, ...more }: Partial<KeptWrite> & Pick<KeptWrite, 'occurred_at'>,
): KeptWrite {
  return { id: randomUUID(), operation, employee_id: employeeId, body, ...more };
}

/** Sends it with the device's credential only. */
export function sendQueue(
  { device }: Pick<Register, 'device'>,
  sent_at: string,
  writes: readonly unknown[],
): Promise<ApiResponse> {
  return device.call('POST', QUEUE, { body: { sent_at, writes } });
}

/** Moves all sign-ins of an employee that far into the past, as if the employee had worked since then. */
export async function backdateSignIns(
  { database: { sql } }: TestServer,
  employeeId: string,
  byMs: number,
): Promise<void> {
  await sql`
    update register_sessions
    set created_at = ${shifted(sql, 'created_at', `-${byMs} milliseconds`)}
    where employee_id = ${employeeId}`;
}
