/** Turns what the database refuses into what a caller is told: by the name of the constraint that was broken. */
import { Refusal, type RefusalDetails, type RefusalName } from '../base/errors.js';

const CONSTRAINTS: Readonly<Record<string, RefusalDetails & { reason: RefusalName }>> = {
  employees_role: { reason: 'INVALID_VALUE', field: 'role_ids', detail: 'There is no role with this id.' },
  timecards_open: { reason: 'WRONG_STATE', detail: 'The employee is clocked in already.', field: 'employee_id' },
  cash_drawer_shifts_open: { reason: 'WRONG_STATE', detail: 'This device has an open cash drawer shift already.' },
  bank_accounts_number: { reason: 'CONFLICT', field: 'account_number', detail: 'This account is linked already.' },
  holds_in_force: { reason: 'WRONG_STATE', detail: 'Money of this payment is held already.' },
  accounts_email: { reason: 'CONFLICT', field: 'owner.email', detail: 'An account with this email exists already.' },
};

/** The driver's and PostgreSQL's words for "the database cannot be reached right now". */
const UNREACHABLE = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '3D000', // invalid_catalog_name: the database was taken away
  '53300', // too_many_connections
]);

export function translateDatabaseError(error: unknown): Refusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, constraint_name: constraint } = error as Error & { code?: string; constraint_name?: string };
  const known = constraint === undefined ? undefined : CONSTRAINTS[constraint];
  if (known) return new Refusal(known.reason, known);
  return code !== undefined && UNREACHABLE.has(code) ? new Refusal('SERVICE_UNAVAILABLE') : undefined;
}
