/** Editing a record that others may change meanwhile: what they changed is shown, and nothing is overwritten silently. */
import { useState } from 'react';
import { asProblem, Problem } from '../client/problem.js';

/** A field that somebody else changed while it was being edited. */
export interface FieldChange<Values> {
  readonly field: keyof Values & string;
  readonly before: unknown;
  readonly now: unknown;
  /** It was typed into as well: what was typed is kept. */
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
  readonly changes: readonly FieldChange<Values>[];
  set<Field extends keyof Values>(field: Field, value: Values[Field]): void;
  /** Sends what was typed. If the record has changed, loads it, keeps what was typed, and throws a problem for the form to show. */
  save(
    send: (typed: Values, version: string) => Promise<unknown>,
    load: () => Promise<Versioned<Values>>,
  ): Promise<void>;
}

const MEANWHILE =
  'Somebody changed this meanwhile. What you typed is kept and not saved yet: check it, then save again.';

export function useEdit<Values extends object>({ values, version }: Versioned<Values>): Edit<Values> {
  const [saw, setSaw] = useState({ values, version });
  const [typed, setTyped] = useState(values);
  const [changes, setChanges] = useState<readonly FieldChange<Values>[]>([]);
  return {
    typed,
    changes,
    set: (field, value) => setTyped((before) => ({ ...before, [field]: value })),
    async save(send, load) {
      try {
        await send(typed, saw.version);
      } catch (error) {
        const { code, requestId } = asProblem(error);
        if (code !== 'CONFLICT') throw error;
        const current = await load();
        const merged = mergeEdit(saw.values, current.values, typed);
        setSaw(current);
        setTyped(merged.typed);
        setChanges(merged.changes);
        throw new Problem(MEANWHILE, { status: 409, code, field: undefined, requestId });
      }
    },
  };
}
