/** The register's view of the people who work at it. */
import { choice, Flag, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { type Instant, printMilliseconds, printSeconds } from '../../base/time.js';
import { REGISTER_PERMISSIONS } from '../../identity/permissions.js';
import type { TeamMember } from './queries.js';

const Permissions = Type.Array(choice(REGISTER_PERMISSIONS));

export const RegisterEmployee = model('RegisterEmployee', {
  id: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  role_name: optional(Type.String()),
  /** Without one, the employee cannot sign in yet. The owner sets it. */
  has_passcode: Flag,
  permissions: Permissions,
  clocked_in_since: optional(Time),
});

const SESSION = {
  employee_id: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  permissions: Permissions,
  clocked_in_since: optional(Time),
  /** The time of the business. */
  now: Time,
};

export const RegisterSession = model('RegisterSession', SESSION);
export const NewRegisterSession = model('NewRegisterSession', { session: Type.String(), ...SESSION });

function clockedIn({ clockedInSince }: TeamMember): { clocked_in_since?: string } {
  return clockedInSince === null ? {} : { clocked_in_since: printSeconds(clockedInSince) };
}

export function toRegisterEmployee(member: TeamMember): Static<typeof RegisterEmployee> {
  return {
    id: member.id,
    first_name: member.firstName,
    last_name: member.lastName,
    ...(member.roleName !== null && { role_name: member.roleName }),
    has_passcode: member.hasPasscode,
    permissions: [...member.permissions],
    ...clockedIn(member),
  };
}

export function toRegisterSession(member: TeamMember, now: Instant): Static<typeof RegisterSession> {
  return {
    employee_id: member.id,
    first_name: member.firstName,
    last_name: member.lastName,
    permissions: [...member.permissions],
    ...clockedIn(member),
    now: printMilliseconds(now),
  };
}
