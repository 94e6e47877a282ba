/** Signs in as the owner of the demo business: a sandbox offers it to browsers on its own machine. */
import { readProblem, unreachable } from './problem.js';

export async function signInToDemo(): Promise<void> {
  const response = await fetch('/dashboard/demo-sign-in', { method: 'POST' }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await readProblem(response);
}

export interface DemoDevice {
  readonly device_token: string;
  readonly employees: readonly { readonly id: string; readonly name: string; readonly passcode: string }[];
}

/** The credential of the demo's register, with the passcodes of those who work there. Refused where the demo's sign-in is refused. */
export async function pairDemoDevice(): Promise<DemoDevice> {
  const response = await fetch('/register/demo-device', { method: 'POST' }).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await readProblem(response);
  return response.json();
}

/** Whether this browser may use the demo without its passwords. */
export async function isDemoOffered(): Promise<boolean> {
  const response = await fetch('/api/dashboard/demo-sign-in').catch(() => {
    throw unreachable();
  });
  if (!response.ok) return false;
  const { available }: { available: boolean } = await response.json();
  return available;
}
