/** Decides about a write that a register kept: its time, what is flagged, and why it is refused (decision 0155). Pure. */
import { Refusal, unknownReference } from '../../base/errors.js';
import { FIRST_INSTANT, type Instant, instant, MINUTE_MS } from '../../base/time.js';
import type { RegisterPermission } from '../../identity/permissions.js';
import { CLOCK_ERROR_MS } from '../cash-drawers/model.js';

/** A smaller difference of the clocks is corrected without a flag, because requests take time. */
const NOTICED_DIFFERENCE_MS = 2 * MINUTE_MS;

/** The register's clock is as wrong when it sends as when the write was made. The future counts as now. */
export function correctTime(occurredAt: Instant, { sentAt, now }: { sentAt: Instant; now: Instant }): Instant {
  return instant(Math.max(FIRST_INSTANT, Math.min(now, occurredAt + now - sentAt)));
}

/** What a register did last, as far as the server knows. Null: nothing. */
export interface LatestActs {
  /** It opened, ended or closed a drawer. */
  readonly drawerAt: Instant | null;
  /** It sold or gave something back. */
  readonly soldAt: Instant | null;
}

/**
 * A register sends its writes in their order. So a new write with an earlier time than one that has arrived is dated back, or it was refused
 * and is sent again. Online writes have the time of their arrival, which is a little later than what a register says (decision 0220).
 */
export function isBackdated(at: Instant, { drawerAt, soldAt }: LatestActs): boolean {
  return at < (drawerAt ?? at) - CLOCK_ERROR_MS || at < (soldAt ?? at) - NOTICED_DIFFERENCE_MS;
}

/** The latest acts with one more that was accepted. Clocking in and out says nothing about the order of sales and drawers. */
export function withAct({ drawerAt, soldAt }: LatestActs, operation: string, at: Instant): LatestActs {
  const later = (one: Instant | null): Instant => instant(Math.max(one ?? at, at));
  if (operation === 'openShift' || operation === 'endShift' || operation === 'closeShift') {
    return { drawerAt: later(drawerAt), soldAt };
  }
  return operation === 'clockIn' || operation === 'clockOut'
    ? { drawerAt, soldAt }
    : { drawerAt, soldAt: later(soldAt) };
}

const BACKDATED = {
  code: 'BACKDATED',
  detail: 'It is dated before something that this register had sent already. Its cash may be in no drawer.',
} as const;

/** The same without the limits, to compare it with the time that an employee signed. */
export function differenceMs(
  time: Instant,
  occurredAt: Instant,
  { sentAt, now }: { sentAt: Instant; now: Instant },
): number {
  return Math.abs(occurredAt + now - sentAt - time);
}

export interface EmployeeFacts {
  readonly id: string;
  readonly status: 'ACTIVE' | 'INACTIVE';
  /** Empty: all locations. */
  readonly locationIds: readonly string[];
  readonly permissions: ReadonlySet<RegisterPermission>;
}

/** The facts on which the decision about a kept write depends. */
export interface WriteFacts {
  readonly ageMs: number;
  readonly maxAgeMs: number;
  /** A card that was charged so shortly before is sent again because its response was lost, and not one that was kept for later. */
  readonly retryMs: number;
  /** How much was added to the times of the register. */
  readonly correctionMs: number;
  /** Whether the server has a later act of the register already. */
  readonly isBackdated: boolean;
  readonly locationId: string;
  readonly employeeId: string;
  /** Undefined: the merchant has no such employee. */
  readonly employee: EmployeeFacts | undefined;
  readonly wasSignedIn: boolean;
  /** With a key of the employee, for this write at this time. */
  readonly isSigned: boolean;
  /** What the operation requires. */
  readonly permission: RegisterPermission | undefined;
  readonly hasCards: boolean;
  /** Whether the write is a refund, or goods are returned. */
  readonly isRefundOrReturn: boolean;
  /** Whether cash leaves the drawer in another way. */
  readonly isPaidOut: boolean;
  readonly acceptsCards: boolean;
}

type Code =
  | 'EMPLOYEE_INACTIVE'
  | 'EMPLOYEE_NOT_AT_LOCATION'
  | 'PERMISSION_MISSING'
  | 'NOT_SIGNED'
  | 'NOT_SIGNED_IN_HERE'
  | 'BACKDATED'
  | 'CLOCK_CORRECTED';

export interface WriteDecision {
  readonly flags: readonly { readonly code: Code; readonly detail: string }[];
  /** Whether the write is flagged instead of refused if it may not have been allowed, because it has already happened. */
  readonly isLenient: boolean;
  /** Whether a card was kept for later. The merchant's limit for such cards then applies. */
  readonly keptCard: boolean;
  readonly refusal: Refusal | undefined;
}

/**
 * Cash that was taken and hours that were worked are facts. Money that has yet to move can still be refused. What lets money, goods or a
 * card go needs the signature of the employee: the token of the device proves nothing about a person.
 */
export function decideWrite(facts: WriteFacts): WriteDecision {
  const isLenient = !facts.hasCards && !facts.isRefundOrReturn;
  const keptCard = facts.hasCards && facts.ageMs > facts.retryMs;
  const violations = violationsOf(facts);
  return {
    flags: [...(isLenient ? violations : []), ...(facts.isBackdated ? [BACKDATED] : []), ...clockFlag(facts)],
    isLenient,
    keptCard,
    refusal: refusalOf(facts, keptCard) ?? proofRefusal(facts) ?? (isLenient ? undefined : toRefusal(violations[0])),
  };
}

function refusalOf(facts: WriteFacts, keptCard: boolean): Refusal | undefined {
  if (!facts.employee) return unknownReference('employee', facts.employeeId, 'employee_id');
  if (facts.ageMs > facts.maxAgeMs) return new Refusal('TOO_OLD', { field: 'occurred_at' });
  if (keptCard && !facts.acceptsCards) {
    return new Refusal('FORBIDDEN', {
      detail: 'The business does not accept cards that a register keeps while it is offline.',
    });
  }
  return undefined;
}

function proofRefusal({ isSigned, hasCards, isRefundOrReturn, isPaidOut }: WriteFacts): Refusal | undefined {
  if (isSigned || !(hasCards || isRefundOrReturn || isPaidOut)) return undefined;
  return new Refusal('NOT_SIGNED', {
    field: 'signature',
    detail:
      'It needs a valid signature of the employee, who may have left or have another passcode by now. Do it again online.',
  });
}

interface Violation {
  readonly code: Code;
  readonly detail: string;
}

/** What a permission allows, for the owner. */
const PERMITTED: Readonly<Record<RegisterPermission, string>> = {
  REGISTER_ACCESS_SALES_HISTORY: 'see earlier sales',
  REGISTER_APPLY_RESTRICTED_DISCOUNTS: 'give restricted discounts',
  REGISTER_CHANGE_SETTINGS: 'change the settings of the register',
  REGISTER_EDIT_ITEM: 'edit items',
  REGISTER_ISSUE_REFUNDS: 'issue refunds',
  REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE: 'open the drawer outside a sale',
  REGISTER_VIEW_SUMMARY_REPORTS: 'see reports',
};

/** What was not allowed, as far as is known now. */
function violationsOf({ employee, locationId, permission, wasSignedIn, isSigned }: WriteFacts): Violation[] {
  if (!employee) return [];
  const violations: Violation[] = [];
  if (employee.status !== 'ACTIVE')
    violations.push({ code: 'EMPLOYEE_INACTIVE', detail: 'The employee is not active now.' });
  if (employee.locationIds.length > 0 && !employee.locationIds.includes(locationId)) {
    violations.push({ code: 'EMPLOYEE_NOT_AT_LOCATION', detail: 'The employee may not work at this location now.' });
  }
  if (permission !== undefined && !employee.permissions.has(permission)) {
    violations.push({ code: 'PERMISSION_MISSING', detail: `The employee may not ${PERMITTED[permission]} now.` });
  }
  if (!wasSignedIn) {
    const detail = 'The employee had not signed in at this register in the seven days before.';
    violations.push({ code: 'NOT_SIGNED_IN_HERE', detail });
  } else if (!isSigned) {
    const detail = 'It has no valid signature of the employee: anybody at this register may have done it.';
    violations.push({ code: 'NOT_SIGNED', detail });
  }
  return violations;
}

function toRefusal(violation: Violation | undefined): Refusal | undefined {
  if (!violation) return undefined;
  const reason = violation.code === 'PERMISSION_MISSING' ? 'INSUFFICIENT_SCOPES' : 'FORBIDDEN';
  return new Refusal(reason, { field: 'employee_id', detail: violation.detail });
}

function clockFlag({ correctionMs }: WriteFacts): WriteDecision['flags'] {
  const differenceMs = Math.abs(correctionMs);
  if (differenceMs <= NOTICED_DIFFERENCE_MS) return [];
  const direction = correctionMs > 0 ? 'slow' : 'fast';
  const minutes = Math.round(differenceMs / MINUTE_MS);
  return [
    {
      code: 'CLOCK_CORRECTED',
      detail: `The clock of the register was ${minutes} minutes ${direction}. The time was corrected.`,
    },
  ];
}
