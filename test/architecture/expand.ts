/** Finds statements of a migration that would break the version of the program before it (decision 0177). */

const BREAKS: readonly (readonly [RegExp, string])[] = [
  [/\bdrop (?:table|view|type|sequence|index)\b/, 'removes what the version before uses'],
  [
    /\bdrop (?!constraint|default|not null|expression|identity|trigger|function|schema)\w/,
    'removes what the version before uses',
  ],
  [/\brename\b/, 'renames what the version before uses'],
  [/\balter (?:column )?\w+ (?:set data )?type\b/, 'changes the type of a column'],
  [/\bset not null\b|\bdrop default\b/, 'requires a column that the version before may leave out'],
  [
    /\badd (?:column )?(?!.*\b(?:default|generated)\b)(?!constraint|check|unique|foreign|primary).*\bnot null\b/,
    'requires a column that the version before does not write',
  ],
];

const REFUSES = 'refuses rows that the version before may write';

/** `text` is a whole migration. One that contracts says so in its first line. */
export function findBreaks(text: string): readonly string[] {
  if (/^-- Contract: \d{4}\b/.test(text)) return [];
  const drops = /^-- Concurrently: replaced by \d{4}\b/.test(text); // an index only makes reading faster (decision 0251)
  const statements = text
    .replace(/--.*$/gm, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => !(drops && /^drop index concurrently if exists \w+$/.test(statement)));
  return statements.flatMap((statement) => {
    const [, table] = /^alter table (?:if exists )?(?:only )?(\w+)/.exec(statement) ?? [];
    if (table === undefined) return [...findIn(statement), ...findUniqueIndex(statement, statements)];
    return statement
      .split(/, (?=add|drop|alter|rename)/)
      .flatMap((action) => [...findIn(action), ...findConstraint(action, table, statements)]);
  });
}

function findIn(action: string): readonly string[] {
  const found = BREAKS.find(([pattern]) => pattern.test(action));
  return found ? [found[1]] : [];
}

/** A constraint may replace one of the same name, as a wider one, or be about a new column, which only the new version writes. */
function findConstraint(action: string, table: string, statements: readonly string[]): readonly string[] {
  if (!/\badd (?:constraint|check|unique|foreign key|primary key|exclude)\b/.test(action)) return [];
  const [, name] = /\badd constraint (\w+)/.exec(action) ?? [];
  const isReplaced = statements.some((each) => new RegExp(`\\bdrop constraint (?:if exists )?${name}\\b`).test(each));
  const isNew = newColumns(table, statements).some((column) => new RegExp(`\\b${column}\\b`).test(action));
  return (name !== undefined && isReplaced) || isNew ? [] : [REFUSES];
}

/** On a table that is new itself, or on a new column, it refuses nothing that the version before writes. */
function findUniqueIndex(statement: string, statements: readonly string[]): readonly string[] {
  const [, table = ''] = /^create unique index .*? on (?:only )?(\w+)/.exec(statement) ?? [];
  if (table === '' || statements.some((each) => new RegExp(`^create table (?:if not exists )?${table}\\b`).test(each)))
    return [];
  const isNew = newColumns(table, statements).some((column) => new RegExp(`\\b${column}\\b`).test(statement));
  return isNew ? [] : [REFUSES];
}

function newColumns(table: string, statements: readonly string[]): readonly string[] {
  return statements
    .filter((each) => new RegExp(`^alter table (?:if exists )?(?:only )?${table}\\b`).test(each))
    .flatMap((each) => [...each.matchAll(/\badd column (?:if not exists )?(\w+)/g)].map(([, name = '']) => name));
}
