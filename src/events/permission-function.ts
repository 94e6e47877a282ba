/** Prints the function that says in the database which permission a kind of event requires: `EVENTS` is the only list. */
import { EVENT_KINDS, EVENTS } from './model.js';

export function printEventPermission(): string {
  const cases = EVENT_KINDS.map((kind) => {
    const permission = EVENTS[kind];
    return `when '${kind}' then ${permission === null ? 'null' : `'${permission}'`}`;
  });
  return `
create function event_permission(p_kind text) returns text
language sql immutable parallel safe as $$
  select case p_kind
    ${cases.join('\n    ')}
  end
$$;`;
}
