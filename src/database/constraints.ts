/** Converts database errors into refusals, by the name of the violated constraint. */
import { Refusal, type RefusalDetails, type RefusalName } from '../base/errors.js';
import { unavailableReason } from './unavailable.js';

const CONSTRAINTS: Readonly<Record<string, RefusalDetails & { reason: RefusalName }>> = {
  employees_role: { reason: 'INVALID_VALUE', field: 'role_ids', detail: 'There is no role with this id.' },
  timecards_open: { reason: 'WRONG_STATE', detail: 'The employee is already clocked in.', field: 'employee_id' },
  cash_drawer_shifts_open: { reason: 'WRONG_STATE', detail: 'This device already has an open cash drawer shift.' },
  bank_accounts_number: { reason: 'CONFLICT', field: 'account_number', detail: 'This account is already linked.' },
  holds_in_force: { reason: 'WRONG_STATE', detail: 'This payment already has a hold.' },
  accounts_email: { reason: 'CONFLICT', field: 'owner.email', detail: 'An account with this email already exists.' },
};

/** Long enough to spread retries, and short enough for a database that restarts. */
const RETRY_AFTER_SECONDS = 1;

export function translateDatabaseError(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { constraint_name: constraint } = error as Error & { constraint_name?: string };
  const known = constraint === undefined ? undefined : CONSTRAINTS[constraint];
  if (known) return new Refusal(known.reason, known);
  if (unavailableReason(error) === undefined) return undefined;
  return new Refusal('SERVICE_UNAVAILABLE', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
