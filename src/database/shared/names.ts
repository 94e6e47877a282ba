/** What the keeper of a shared PostgreSQL and its users know each other by. */

/** Advisory locks of users (shared) and of the keeper when it ends (exclusive), in the database of the folder lock. */
export const USE_KEY = '7310583';
export const MEETING_DATABASE = 'postgres';

/** The name of the keeper's session. */
export const KEEPER = 'tillhouse keeper';

/** A database with the schema, from which those of users are copied. The rest of its name is that of its functions. */
export const PREPARED = 'prepared_';
/** While it is made. */
export const UNFINISHED = 'unfinished';

/** The databases of users. */
const USED = 'used_';
const APPLICATION = 'tillhouse user of ';

export function databaseOf(pid: number, suffix: string): string {
  return `${USED}${pid}_${suffix}`;
}

export function isUsed(database: string): boolean {
  return database.startsWith(USED);
}

/** The name of the session that lasts as long as its user lives. */
export function applicationOf(database: string): string {
  return APPLICATION + database;
}

/** The database of a user's session. Undefined for other sessions. */
export function databaseOfSession(application: string): string | undefined {
  return application.startsWith(APPLICATION) ? application.slice(APPLICATION.length) : undefined;
}
