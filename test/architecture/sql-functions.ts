/** Reads the functions in functions.sql, and where they are called. */
import { PLACEMENTS } from '../../src/database/placement.js';
import type { Source } from './sources.js';

export interface SqlFunction {
  readonly name: string;
  readonly path: string;
  readonly parameters: string;
  /** The text from the return type to the body. */
  readonly options: string;
  readonly body: string;
  /** Other functions that it may call: every name before a parenthesis. */
  readonly called: ReadonlySet<string>;
}

const FUNCTION = /create function (\w+)\(([^;]*?)\)\s*returns ([^;]*?)\sas \$\$([\s\S]*?)\$\$;/g;

export function functionsIn(among: readonly Source[]): SqlFunction[] {
  return among
    .filter(({ path }) => path.endsWith('.sql'))
    .flatMap(({ path, code }) =>
      [...code.matchAll(FUNCTION)].map(([, name = '', parameters = '', options = '', body = '']) => {
        const called = new Set([...body.matchAll(/\b([a-z]\w*)\(/g)].map(([, each = '']) => each));
        return { name, path, parameters: parameters.trim(), options, body, called };
      }),
    );
}

/** A function that only reads: of its arguments (immutable), or of the database too (stable). */
export function onlyReads({ options }: SqlFunction): boolean {
  return /\b(?:immutable|stable)\b/.test(options);
}

/** The names in `fn(tx, 'name')`. */
export function namesCalledIn(code: string): string[] {
  return [...code.matchAll(/\bfn\(\w+, '(\w+)'\)/g)].map(([, name = '']) => name);
}

/** The names in `change.call('name', ...)` and `change.gather('name', ...)`: functions that run as steps of a change. */
export function stepsIn(code: string): string[] {
  return [...code.matchAll(/\bchange\.(?:call|gather)\('(\w+)'/g)].map(([, name = '']) => name);
}

/** The names that `apply_step` knows. */
export function knownSteps(among: readonly Source[]): string[] {
  const bodies = functionsIn(among).filter(({ name }) => name === 'apply_step');
  return bodies.flatMap(({ body }) => [...body.matchAll(/\bwhen '(\w+)' then/g)].map(([, name = '']) => name));
}

/** What a body consists of, split at semicolons. */
export function statementsOf({ body }: SqlFunction): string[] {
  return body.split(';').map((text) => text.trim());
}

/** The tables whose rows belong to one merchant each. */
export const merchantTables: ReadonlySet<string> = new Set(
  Object.entries(PLACEMENTS)
    .filter(([, placement]) => placement === 'merchant')
    .map(([table]) => table),
);
