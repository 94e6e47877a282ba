/** Queues of registers for tests: the writes that a register kept while it was offline. */
import { randomUUID } from 'node:crypto';
import { shifted } from './clock.js';
import type { ApiResponse } from './http.js';
import type { Register } from './people.js';
import type { TestServer } from './server.js';
import { type Signature, signWrite } from './signing.js';

export const QUEUE = '/api/register/queue';

export interface KeptWrite {
  readonly id: string;
  readonly operation: string;
  readonly employee_id: string;
  readonly occurred_at: string;
  readonly body: Record<string, unknown>;
  readonly signature?: Signature | undefined;
}

interface WriteToKeep extends Partial<Omit<KeptWrite, 'occurred_at'>> {
  readonly occurred_at: string;
  /** The right time, if the clock of the register is wrong. */
  readonly signedAt?: string;
}

/** A write of the employee who is signed in, unless it names another one. It is signed with the key of the sign-in. */
export function keep(
  { employeeId, device, signingKey }: Pick<Register, 'employeeId' | 'device' | 'signingKey'>,
  operation: string,
  { body = {}, signedAt, ...more }: WriteToKeep,
): KeptWrite {
  const write = { id: randomUUID(), operation, employee_id: employeeId, body, ...more };
  const time = signedAt ?? write.occurred_at;
  const signature = signWrite(signingKey, { ...write, deviceId: device.id, employeeId: write.employee_id, time });
  return { ...write, signature, ...more };
}

/** Sends it with the device's credential only. */
export function sendQueue(
  { device }: Pick<Register, 'device'>,
  sent_at: string,
  writes: readonly unknown[],
): Promise<ApiResponse> {
  return device.call('POST', QUEUE, { body: { sent_at, writes } });
}

/** Sends one write that the register did earlier, and returns what became of it. */
export async function sendLate(
  register: Pick<Register, 'employeeId' | 'device' | 'signingKey'>,
  sentAt: string,
  operation: string,
  write: WriteToKeep,
  // biome-ignore lint/suspicious/noExplicitAny: the response of any operation
): Promise<any> {
  const answer = await sendQueue(register, sentAt, [keep(register, operation, write)]);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body.results[0];
}

/** Moves all sign-ins of an employee, with their keys, that far into the past, as if the employee had worked since then. */
export async function backdateSignIns(
  { database: { sql } }: TestServer,
  employeeId: string,
  byMs: number,
): Promise<void> {
  await sql`
    update register_sessions
    set created_at = ${shifted(sql, 'created_at', `-${byMs} milliseconds`)}
    where employee_id = ${employeeId}`;
  await sql`
    update register_keys
    set created_at = ${shifted(sql, 'created_at', `-${byMs} milliseconds`)}
    where employee_id = ${employeeId}`;
}
