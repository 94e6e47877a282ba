/** Approvals of registers: what somebody allows for one sale. */
import { randomUUID } from 'node:crypto';
import type { ApiResponse } from './http.js';
import { PASSCODE, type PairedDevice, type Register } from './people.js';
import { usd } from './register-sales.js';
import { signApproval } from './signing.js';

export interface ToAllow {
  readonly sale_id: string;
  readonly amount: number;
  readonly operation?: string;
  readonly passcode?: string;
}

export function tryToApprove(
  device: PairedDevice,
  employee_id: string,
  { sale_id, amount, operation = 'ringUpSale', passcode = PASSCODE }: ToAllow,
): Promise<ApiResponse> {
  const body = { employee_id, passcode, operation, sale_id, amount_money: usd(amount) };
  return device.call('POST', '/api/register/approvals', { body });
}

/** Given online. Returns what the sale has to send. */
export async function approve(device: PairedDevice, employeeId: string, sale: ToAllow): Promise<{ id: string }> {
  const answer = await tryToApprove(device, employeeId, sale);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return { id: answer.body.approval.id };
}

/** Given offline, with the key of the employee's sign-in. */
export function approveOffline(
  { device, employeeId, signingKey }: Register,
  { sale_id: saleId, amount, operation = 'ringUpSale' }: ToAllow,
  time = new Date().toISOString(),
) {
  const id: string = randomUUID();
  const signature = signApproval(signingKey, { deviceId: device.id, employeeId, time, operation, saleId, id, amount });
  return { id, employee_id: employeeId, amount_money: usd(amount), signature };
}
