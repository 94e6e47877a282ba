/** Declares and parses the flags of retention: how long records are kept that are not part of the books (decision 0078). */

import type { CommandFlag } from './command-flag.js';
import { DAY_MS } from './time.js';
import { UsageError } from './usage-error.js';
import { parseWholeNumber } from './whole-number.js';

const FOREVER = 'forever';
const MAX_DAYS = 3650;

interface RetentionFlag extends CommandFlag {
  /** Less would break what the server promises to clients. */
  readonly minDays: number;
  readonly maxDays: number;
}

function keep(
  kind: string,
  {
    maxDays = MAX_DAYS,
    ...declared
  }: Pick<RetentionFlag, 'fallback' | 'minDays' | 'about'> & { readonly maxDays?: number },
): RetentionFlag {
  const value = declared.fallback === FOREVER ? 'DAYS|forever' : 'DAYS';
  return { environment: `TILLHOUSE_KEEP_${kind.toUpperCase().replaceAll('-', '_')}`, value, maxDays, ...declared };
}

export const RETENTION_FLAGS = {
  /** An event must survive the retries of its delivery, which take a day. */
  'keep-events': keep('events', {
    fallback: '30',
    minDays: 2,
    about: 'how long webhook events are kept, with their deliveries; at least 2',
  }),
  /** More than a year, for a yearly review. */
  'keep-audit': keep('audit', { fallback: '400', minDays: 30, about: 'how long the audit log is kept; at least 30' }),
  /** While an expired token is kept, a refused request to renew or revoke it gets the reason. */
  'keep-tokens': keep('tokens', {
    fallback: '30',
    minDays: 1,
    about: 'how long tokens of applications are kept after they can no longer be renewed',
  }),
  /** A code that is used again while it is kept revokes the tokens that it was exchanged for, so it must not outlive them. */
  'keep-codes': keep('codes', {
    fallback: '1',
    minDays: 1,
    maxDays: 30,
    about: 'how long authorization codes are kept after they expired',
  }),
  'keep-sessions': keep('sessions', {
    fallback: '1',
    minDays: 1,
    about: 'how long sessions of owners are kept after they expired',
  }),
  /** A write may arrive three days late, from an employee who signed in a week before. The server looks up that session (decision 0155). */
  'keep-register-sessions': keep('register-sessions', {
    fallback: '11',
    minDays: 11,
    about: 'how long sessions of employees at registers are kept after they expired; at least 11, for late writes',
  }),
  'keep-attempts': keep('attempts', {
    fallback: '1',
    minDays: 1,
    about: 'how long counts of failed sign-ins are kept after their window ended',
  }),
  /** Longer than anybody leaves a form open between the upload and the save (decision 0145). */
  'keep-pictures': keep('pictures', {
    fallback: '1',
    minDays: 1,
    about: 'how long pictures that nothing uses are kept after their upload',
  }),
  /** Longer than the retries of any client (decision 0027). */
  'keep-keys': keep('keys', {
    fallback: FOREVER,
    minDays: 30,
    about: 'how long idempotency keys are kept; at least 30. A later retry with the same key charges again',
  }),
  /** A register that sends a write again after this time gets TOO_OLD in place of the response. */
  'keep-register-writes': keep('register-writes', {
    fallback: FOREVER,
    minDays: 30,
    about: 'how long the responses to writes of registers are kept for retries; at least 30',
  }),
} as const satisfies Record<`keep-${string}`, RetentionFlag>;

type Name = keyof typeof RETENTION_FLAGS;
export type RecordKind = Name extends `keep-${infer Kind}` ? Kind : never;

/** In milliseconds, by kind of record. Undefined: forever. */
export type KeptFor = Readonly<Record<RecordKind, number | undefined>>;

export function toKeptFor(values: Readonly<Record<Name, string>>): KeptFor {
  const entries = Object.entries<RetentionFlag>(RETENTION_FLAGS).map(([name, flag]) => [
    name.slice('keep-'.length),
    toKeptMs(values[name as Name], `--${name}`, flag),
  ]);
  return Object.fromEntries(entries) as KeptFor;
}

export const DEFAULT_KEPT_FOR = toKeptFor(
  Object.fromEntries(
    Object.entries<CommandFlag>(RETENTION_FLAGS).map(([name, flag]) => [name, flag.fallback]),
  ) as Record<Name, string>,
);

function toKeptMs(
  text: string,
  name: string,
  { environment, fallback, minDays, maxDays }: RetentionFlag,
): number | undefined {
  const mayBeForever = fallback === FOREVER;
  if (mayBeForever && text === FOREVER) return undefined;
  const days = parseWholeNumber(text, { min: minDays, max: maxDays });
  if (days !== undefined) return days * DAY_MS;
  const choices = `a whole number of days from ${minDays} to ${maxDays}${mayBeForever ? `, or ${FOREVER}` : ''}`;
  throw new UsageError(`${name} (${environment}) must be ${choices}, not '${text}'.`);
}
