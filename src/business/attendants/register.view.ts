/** The register's view of the people who work at it. */
import { about, Bool, choice, model, optional, type Static, Time, Type } from '../../api/wire.js';
import { type Instant, printMilliseconds, printSeconds } from '../../base/time.js';
import { REGISTER_PERMISSIONS } from '../../identity/permissions.js';
import type { TeamMember } from './queries.js';

const Permissions = Type.Array(choice(REGISTER_PERMISSIONS));

export const RegisterEmployee = model('RegisterEmployee', {
  id: about('The id of the employee.', Type.String()),
  first_name: about('The first name.', Type.String()),
  last_name: about('The last name.', Type.String()),
  role_name: about('The role of the employee. Absent without one.', optional(Type.String())),
  has_passcode: about('Whether the owner has set the passcode with which the employee signs in.', Bool),
  permissions: about('What the employee may do at a register.', Permissions),
  clocked_in_since: about('When the employee clocked in. Absent if the employee is not clocked in.', optional(Time)),
});

const SESSION = {
  employee_id: about('Who is signed in.', Type.String()),
  first_name: about('The first name.', Type.String()),
  last_name: about('The last name.', Type.String()),
  permissions: about('What the employee may do at a register.', Permissions),
  clocked_in_since: about('When the employee clocked in. Absent if the employee is not clocked in.', optional(Time)),
  now: about("The merchant's business time.", Time),
};

export const RegisterSession = model('RegisterSession', SESSION);
export const NewRegisterSession = model('NewRegisterSession', {
  session: about('The session, for the header Tillhouse-Employee-Session. Shown only here.', Type.String()),
  ...SESSION,
});

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
