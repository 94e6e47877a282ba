/** What a figure of a report, a table or a receipt is: its name, its sign, and which figures add up to it. Pure; pages use it too. */
import { type Amount, add } from '../../base/money.js';

/** What enlarges the merchant's money is positive, what reduces it negative. So a sum only ever adds. */
export type Sign = 'ADDS' | 'TAKES';

export interface Figure {
  /** What people read. */
  readonly label: string;
  /** What the API reference says. */
  readonly about: string;
  /** Absent: it can be either. */
  readonly sign?: Sign;
  /** The figures that add up to it. Absent: it is counted, not added up. */
  readonly sumOf?: readonly string[];
  /** The figure that contains it, if it is shown beside that one and not added again. */
  readonly partOf?: string;
}

/** A table, in the order of its rows or columns. The names are those of the fields of the API. */
export type Figures = Readonly<Record<string, Figure>>;

export type NameIn<Table extends Figures> = keyof Table & string;

/** The figures of a table that others do not add up to. */
export type CountedIn<Table extends Figures> = {
  [Name in NameIn<Table>]: Table[Name] extends { readonly sumOf: readonly string[] } ? never : Name;
}[NameIn<Table>];

/** Checks that a table refers to its own figures only. */
export function defineFigures<const Table extends Figures>(
  table: Table & Readonly<Record<NameIn<Table>, { sumOf?: readonly NameIn<Table>[]; partOf?: NameIn<Table> }>>,
): Table {
  return table;
}

export function figuresOf<Table extends Figures>(table: Table): (Figure & { readonly name: NameIn<Table> })[] {
  return Object.entries(table).map(([name, figure]) => ({ ...figure, name }));
}

/** All figures of a table, from those that are counted. */
export function addUp<Table extends Figures>(
  table: Table,
  counted: Readonly<Record<CountedIn<Table>, Amount>>,
): Record<NameIn<Table>, Amount> {
  const known: Record<string, Amount> = {};
  const find = (name: string): Amount => {
    const parts = table[name]?.sumOf;
    known[name] ??= parts ? add(...parts.map(find)) : counted[name as CountedIn<Table>];
    return known[name];
  };
  for (const name in table) find(name);
  return known as Record<NameIn<Table>, Amount>;
}
