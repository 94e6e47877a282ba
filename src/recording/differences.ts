/** Compares a response of now with the recorded one. */
import type { Json, JsonObject } from '../sandbox/stub-definition.js';
import { type Bindings, formOf, isMadeUp, isTime } from './bindings.js';
import type { Headers, RecordedAnswer } from './fixture.js';

export interface Difference {
  /** Such as `body.payment.amount_money.amount`. */
  readonly place: string;
  /** Absent: there was nothing. */
  readonly recorded?: Json;
  readonly now?: Json;
}

interface Comparison {
  readonly bindings: Bindings;
  /** What the program has sent so far. It has to come back as it was sent. */
  readonly said: ReadonlySet<string>;
  readonly found: Difference[];
}

export function compareAnswers(
  recorded: RecordedAnswer,
  now: RecordedAnswer,
  known: Pick<Comparison, 'bindings' | 'said'>,
): readonly Difference[] {
  if (recorded.status !== now.status) {
    const status = { place: 'status', recorded: recorded.status, now: now.status };
    return [
      status,
      ...(now.status >= 400 ? [{ place: 'body', ...(now.body !== undefined && { now: now.body }) }] : []),
    ];
  }
  // An id can come after a text that contains it: the first pass only binds.
  compareAll(recorded, now, { ...known, found: [] });
  const second = { ...known, found: [] };
  compareAll(recorded, now, second);
  return second.found;
}

function compareAll(recorded: RecordedAnswer, now: RecordedAnswer, comparison: Comparison): void {
  compareHeaders(recorded.headers, now.headers, comparison);
  compare(['body', ''], [recorded.body ?? recorded.text, now.body ?? now.text], comparison);
}

/** What kind of content it is, and whether a list goes on. */
function compareHeaders(recorded: Headers, now: Headers, { bindings, found }: Comparison): void {
  const summaries = [typeOf(recorded), typeOf(now)] as const;
  if (summaries[0] !== summaries[1]) {
    found.push({ place: 'header content-type', ...present(summaries[0], summaries[1]) });
  }
  for (const name of ['link', 'location', 'deprecation']) {
    const [was, is] = [recorded[name], now[name]];
    if ((was === undefined) !== (is === undefined)) found.push({ place: `header ${name}`, ...present(was, is) });
  }
  const [was, is] = [batchTokenIn(recorded), batchTokenIn(now)];
  if (was !== undefined && is !== undefined) bindings.bind(was, is);
}

function typeOf(headers: Headers): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

/** The first generation has the place of the next page in a header. */
function batchTokenIn({ link = '' }: Headers): string | undefined {
  const token = /[?&]batch_token=([^&>]+)/.exec(link)?.[1];
  return token === undefined ? undefined : decodeURIComponent(token);
}

type Both<Value> = readonly [recorded: Value, now: Value];

function compare(
  at: readonly [place: string, name: string],
  both: Both<Json | undefined>,
  comparison: Comparison,
): void {
  const [recorded, now] = both;
  if (typeof recorded === 'string' && typeof now === 'string') {
    if (!isSameText(at[1], [recorded, now], comparison)) comparison.found.push({ place: at[0], recorded, now });
  } else if (Array.isArray(recorded) && Array.isArray(now)) compareLists(at, [recorded, now], comparison);
  else if (isObject(recorded) && isObject(now)) compareObjects(at[0], [recorded, now], comparison);
  else if (recorded !== now) comparison.found.push({ place: at[0], ...present(recorded, now) });
}

function compareObjects(place: string, [recorded, now]: Both<JsonObject>, comparison: Comparison): void {
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
    compare([`${place}.${name}`, name], [ownOf(recorded, name), ownOf(now, name)], comparison);
  }
}

function compareLists(
  [place, name]: readonly [string, string],
  [recorded, now]: Both<readonly Json[]>,
  comparison: Comparison,
): void {
  const { found, bindings } = comparison;
  const ids = recorded.map((each) => boundId(each, bindings));
  const positions = ids.map((id) => (id === undefined ? -1 : now.findIndex((each) => idOf(each) === id)));
  // By their ids if all of them are known, and otherwise by their places.
  const isById = recorded.length > 0 && ids.every((id) => id !== undefined);
  if (isById && positions.some((at, index) => at >= 0 && at < Math.max(...positions.slice(0, index), -1))) {
    found.push({ place, recorded: 'in this order', now: 'in another order' });
  }
  const partners = isById ? positions : recorded.map((_, index) => index);
  for (const [index, each] of recorded.entries()) {
    compare([`${place}[${index}]`, name], [each, now[partners[index] ?? -1]], comparison);
  }
  for (const [index, each] of now.entries()) {
    if (!partners.includes(index)) found.push({ place: `${place}[${index}]`, now: each });
  }
}

function isSameText(name: string, [recorded, now]: Both<string>, { bindings, said }: Comparison): boolean {
  const isSaid = said.has(recorded) || said.has(now);
  if (isTime(recorded) && !isSaid) {
    bindings.bind(recorded, now);
    return isTime(now) && formOf(now) === formOf(recorded);
  }
  const isNew = bindings.nowOf(recorded) === undefined && !isSaid;
  if (isNew && now !== '' && isMadeUp(name, recorded) && bindings.fits(recorded, now)) {
    bindings.bind(recorded, now);
    return true;
  }
  return bindings.fill(recorded) === now && (bindings.nowOf(recorded) === undefined || bindings.fits(recorded, now));
}

function boundId(value: Json, bindings: Bindings): string | undefined {
  const id = idOf(value);
  return id === undefined ? undefined : bindings.nowOf(id);
}

function idOf(value: Json): string | undefined {
  const id = isObject(value) ? ownOf(value, 'id') : undefined;
  return typeof id === 'string' ? id : undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ownOf(value: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function present(recorded: Json | undefined, now: Json | undefined): Omit<Difference, 'place'> {
  return { ...(recorded !== undefined && { recorded }), ...(now !== undefined && { now }) };
}
