/** Names the constraint that an error of the database is about, and converts errors into refusals by that name. */
import { Refusal, type RefusalDetails, type RefusalName } from '../base/errors.js';
import { codeOf, unavailableReason, waitedForLock } from './unavailable.js';

const CONSTRAINTS: Readonly<Record<string, RefusalDetails & { reason: RefusalName }>> = {
  employees_role: { reason: 'INVALID_VALUE', field: 'role_ids', detail: 'There is no role with this id.' },
  timecards_open: { reason: 'WRONG_STATE', detail: 'The employee is already clocked in.', field: 'employee_id' },
  cash_drawer_shifts_open: { reason: 'WRONG_STATE', detail: 'This device already has an open cash drawer shift.' },
  bank_accounts_number: { reason: 'CONFLICT', field: 'account_number', detail: 'This account is already linked.' },
  holds_in_force: { reason: 'WRONG_STATE', detail: 'This payment already has a hold.' },
  picture_uses_picture: {
    reason: 'INVALID_VALUE',
    field: 'picture_id',
    detail: 'There is no picture with this id. Upload it again.',
  },
  categories_name: { reason: 'CONFLICT', field: 'name', detail: 'There is already a category with this name.' },
  items_category: { reason: 'INVALID_VALUE', field: 'category_id', detail: 'There is no category with this id.' },
  accounts_email: { reason: 'CONFLICT', field: 'owner.email', detail: 'An account with this email already exists.' },
};

/** Long enough to spread retries, and short enough for a database that restarts. */
const RETRY_AFTER_SECONDS = 1;

const RAISED = 'P0001';

/**
 * The name of the constraint that was violated, or of the rule for which a function raised an exception: its message begins with the
 * name. Errors of other nodes come without the field for the name, and name the constraint of a shard, which ends in the shard's number.
 */
export function constraintOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { constraint_name: name, message } = error as Error & { constraint_name?: string };
  if (codeOf(error) === RAISED) return /^(\w+): /.exec(message)?.[1];
  return (name ?? /constraint "(\w+)"/.exec(message)?.[1])?.replace(/_\d{6,}$/, '');
}

export function translateDatabaseError(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const constraint = constraintOf(error);
  const known = constraint === undefined ? undefined : CONSTRAINTS[constraint];
  if (known) return new Refusal(known.reason, known);
  if (unavailableReason(error) === undefined && !waitedForLock(error)) return undefined;
  return new Refusal('SERVICE_UNAVAILABLE', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
