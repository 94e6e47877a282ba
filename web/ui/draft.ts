/** What is typed into a form about a record that others may change meanwhile. Nothing of theirs is overwritten unseen. */
import { useState } from 'react';

type Fields = Readonly<Record<string, unknown>>;

export interface Draft<Values extends Fields> {
  readonly values: Values;
  /** The version of the record on which the draft is based. */
  readonly version: string;
  readonly isChanged: boolean;
  /** What somebody else has changed since the form was opened. */
  readonly foreign: readonly (keyof Values & string)[];
  set<Name extends keyof Values>(name: Name, value: Values[Name]): void;
  /** Forgets what was typed. */
  discard(): void;
}

interface State<Values extends Fields> {
  readonly version: string;
  readonly seen: Values;
  readonly values: Values;
  readonly foreign: readonly (keyof Values & string)[];
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function namesOf<Values extends Fields>(values: Values): (keyof Values & string)[] {
  return Object.keys(values) as (keyof Values & string)[];
}

/** Fields that were typed into stay as they are. The others follow the record. Exported for tests. */
export function rebase<Values extends Fields>(
  { seen, values, foreign }: State<Values>,
  version: string,
  current: Values,
): State<Values> {
  const names = namesOf(current);
  const merged = Object.fromEntries(
    names.map((name) => [name, isEqual(values[name], seen[name]) ? current[name] : values[name]]),
  ) as unknown as Values;
  const isOwn = isEqual(merged, current) && isEqual(values, current); // what this form has just saved
  const changed = names.filter((name) => !isEqual(seen[name], current[name]));
  return { version, seen: current, values: merged, foreign: isOwn ? [] : [...new Set([...foreign, ...changed])] };
}

/** `current` is the record as it was last loaded. */
export function useDraft<Values extends Fields>(version: string, current: Values): Draft<Values> {
  const [state, setState] = useState<State<Values>>({ version, seen: current, values: current, foreign: [] });
  const known = state.version === version ? state : rebase(state, version, current);
  if (known !== state) setState(known); // before anything is painted
  return {
    values: known.values,
    version: known.version,
    isChanged: !isEqual(known.values, known.seen),
    foreign: known.foreign,
    set: (name, value) => setState((before) => ({ ...before, values: { ...before.values, [name]: value } })),
    discard: () => setState((before) => ({ ...before, values: before.seen, foreign: [] })),
  };
}
