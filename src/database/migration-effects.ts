/** What a statement of a migration does to those who use its table meanwhile. Reads the text only. */

/** In the order of how much they hinder others. */
export const EFFECTS = {
  nothing: { waits: 'nobody', perRow: 0 },
  /** An index that is built while others write, or a check of the rows that are there. */
  beside: { waits: 'nobody', perRow: 4e-6 },
  /** The catalog changes, and no row is read. */
  moment: { waits: 'everybody, for a moment', perRow: 0 },
  /** Rows change. */
  rows: { waits: 'writers of the same rows', perRow: 4e-5 },
  index: { waits: 'writers', perRow: 2e-6 },
  /** All rows are read or written under the strongest lock. */
  whole: { waits: 'everybody', perRow: 2e-5 },
} as const satisfies Record<string, { readonly waits: string; readonly perRow: number }>;

export type Effect = keyof typeof EFFECTS;

export interface StatementEffect {
  /** Undefined: no table that was there before. */
  readonly table: string | undefined;
  readonly effect: Effect;
}

const TABLE_OF: readonly (readonly [RegExp, Effect])[] = [
  [/^create (?:unique )?index concurrently .*? on (?:only )?(\w+)/, 'beside'],
  [/^create (?:unique )?index .*? on (?:only )?(\w+)/, 'index'],
  [/^(?:update|insert into|delete from) (?:only )?(\w+)/, 'rows'],
  [/^create (?:or replace )?trigger .*? on (\w+)/, 'moment'],
];
const ALTER = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/;
/** Actions of `alter table` that read or write all rows. */
const WHOLE = [
  /\badd constraint \w+ (?!unique using|primary key using)(?!.*\bnot valid\b)/,
  /^add (?:check|unique|foreign key|primary key|exclude)\b(?!.*\bnot valid\b)/,
  /\badd column\b.*\b(?:check|references|unique|primary key|generated)\b/,
  /\bset not null\b/,
  /\balter (?:column )?\w+ (?:set data )?type\b/,
];
const VALIDATES = /^validate constraint \w+$/;

/** One entry for each statement, in their order. */
export function effectsOf(statements: readonly string[]): readonly StatementEffect[] {
  const created = new Set<string>();
  return statements.map((text) => {
    const statement = text.toLowerCase().replace(/\s+/g, ' ');
    const [, isNew] = /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(statement) ?? [];
    if (isNew !== undefined) created.add(isNew);
    const { table, effect } = effectOf(statement);
    return table === undefined || created.has(table) ? { table: undefined, effect: 'nothing' } : { table, effect };
  });
}

function effectOf(statement: string): StatementEffect {
  const [, altered, actions = ''] = ALTER.exec(statement) ?? [];
  if (altered !== undefined) return { table: altered, effect: effectOfActions(actions) };
  for (const [pattern, effect] of TABLE_OF) {
    const [, table] = pattern.exec(statement) ?? [];
    if (table !== undefined) return { table, effect };
  }
  return { table: undefined, effect: 'nothing' };
}

function effectOfActions(actions: string): Effect {
  if (VALIDATES.test(actions)) return 'beside';
  return actions
    .split(/, (?=add|drop|alter|rename|validate)/)
    .some((each) => WHOLE.some((pattern) => pattern.test(each)))
    ? 'whole'
    : 'moment';
}
