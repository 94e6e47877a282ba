/** Editing a record that others may change meanwhile: what they changed is shown, and nothing is overwritten silently. */
import { useState } from 'react';
import { asProblem, Problem } from '../client/problem.js';

/** A field that somebody else changed while it was being edited. */
export interface FieldChange<Values> {
  readonly field: keyof Values & string;
  readonly before: unknown;
  readonly now: unknown;
  /** The field was typed into as well: what was typed is kept. */
  readonly isTyped: boolean;
}

export function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Takes over what others changed, except in fields that were typed into. */
export function mergeEdit<Values extends object>(
  saw: Values,
  current: Values,
  typed: Values,
): { readonly typed: Values; readonly changes: readonly FieldChange<Values>[] } {
  const merged = { ...typed };
  const changes: FieldChange<Values>[] = [];
  for (const field of Object.keys(saw) as (keyof Values & string)[]) {
    const [before, now] = [saw[field], current[field]];
    if (sameValue(before, now) || sameValue(typed[field], now)) continue;
    const isTyped = !sameValue(typed[field], before);
    if (!isTyped) merged[field] = now;
    changes.push({ field, before, now, isTyped });
  }
  return { typed: merged, changes };
}

interface Versioned<Values> {
  readonly values: Values;
  readonly version: string;
}

export interface Edit<Values> {
  readonly typed: Values;
  readonly isChanged: boolean;
  readonly changes: readonly FieldChange<Values>[];
  set<Field extends keyof Values>(field: Field, value: Values[Field]): void;
  change(fields: Partial<Values>): void;
  /** Forgets what was typed. */
  discard(): void;
  /** Sends what was typed. If the record has changed, loads it, keeps what was typed, and throws a problem for the form to show. */
  save(
    send: (typed: Values, version: string) => Promise<unknown>,
    load: () => Promise<Versioned<Values>>,
  ): Promise<void>;
}

const MEANWHILE =
  'Somebody changed this meanwhile. What you typed is kept and not saved yet: check it, then save again.';

interface State<Values> {
  /** The version that the page has loaded last. It can be older than the one that was loaded after a conflict. */
  readonly given: string;
  readonly saw: Versioned<Values>;
  readonly typed: Values;
  readonly changes: readonly FieldChange<Values>[];
}

/** Bases the edit on a newer version of the record. Fields that others changed before stay listed, unless they are as typed. */
function rebase<Values extends object>(state: State<Values>, current: Versioned<Values>): State<Values> {
  const { typed, changes } = mergeEdit(state.saw.values, current.values, state.typed);
  const earlier = state.changes.filter(
    ({ field }) =>
      !changes.some((change) => change.field === field) && !sameValue(state.typed[field], current.values[field]),
  );
  return { given: state.given, saw: current, typed, changes: [...earlier, ...changes] };
}

/** The record was loaded again. If something is typed, the edit stays based on what was seen: saving it finds the conflict and shows it. */
function withLoaded<Values extends object>(state: State<Values>, loaded: Versioned<Values>): State<Values> {
  const isTyped = !sameValue(state.typed, state.saw.values) && !sameValue(state.typed, loaded.values);
  if (isTyped) return { ...state, given: loaded.version };
  return { given: loaded.version, saw: loaded, typed: loaded.values, changes: [] };
}

/** Gets the record as it was last loaded. */
export function useEdit<Values extends object>({ values, version }: Versioned<Values>): Edit<Values> {
  const [state, setState] = useState<State<Values>>({
    ...{ given: version, saw: { values, version }, typed: values, changes: [] },
  });
  const known = version === state.given ? state : withLoaded(state, { values, version });
  if (known !== state) setState(known); // before anything is painted
  return {
    typed: known.typed,
    isChanged: !sameValue(known.typed, known.saw.values),
    changes: known.changes,
    set: (field, value) => setState((before) => ({ ...before, typed: { ...before.typed, [field]: value } })),
    change: (fields) => setState((before) => ({ ...before, typed: { ...before.typed, ...fields } })),
    discard: () => setState((before) => ({ ...before, typed: before.saw.values, changes: [] })),
    async save(send, load) {
      try {
        await send(known.typed, known.saw.version);
        setState((before) => ({ ...before, changes: [] }));
      } catch (error) {
        const { code, field, requestId } = asProblem(error);
        if (code !== 'CONFLICT' || (field !== undefined && field !== 'version')) throw error;
        const current = await load();
        setState((before) => rebase(before, current));
        throw new Problem(MEANWHILE, { status: 409, code, field: undefined, requestId });
      }
    },
  };
}
