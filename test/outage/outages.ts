/** How a database becomes unavailable, what a server reports meanwhile, and how the database recovers. */
import type { OwnPostgres } from '../support/own-postgres.js';
import type { Wire } from '../support/wire.js';

export interface Outage {
  readonly reason: RegExp;
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

/** A database, and the wire through which the server reaches it. They exist only once an outage begins. */
type Place = () => { readonly database: OwnPostgres; readonly wire: Wire };

export function outagesOf(place: Place): Readonly<Record<string, Outage>> {
  const stopped = (mode: 'fast' | 'immediate' | 'kill', reason: RegExp): Outage => ({
    reason,
    begin: () => place().database.stop(mode),
    end: () => place().database.start(),
  });
  const through = (behaviour: 'refuse' | 'hang', reason: RegExp): Outage => ({
    reason,
    begin: () => place().wire.become(behaviour),
    end: () => place().wire.become('pass'),
  });
  return {
    'is stopped fast': stopped('fast', /reached|shutting down/),
    'is stopped at once': stopped('immediate', /reached/),
    'is killed': stopped('kill', /reached/),
    'refuses connections': through('refuse', /reached/),
    'falls silent': through('hang', /does not respond/),
  };
}
