/**
 * Spreads cases over operations. Where one piece of code serves all operations of a group, such as the parser of bodies, every operation
 * need not meet every case: each meets a part, in rotation, and any few neighbours in a group meet them all (decision 0172).
 */
import type { Operation } from '../../src/api/operation.js';

/** How many operations share the cases. */
const NEIGHBOURS = 4;

type Group = (operation: Operation) => string;

/** The format of refusals and the authentication depend on the surface. */
const bySurface: Group = ({ surface }) => surface;

/**
 * The part of the cases for each of these operations. A group of fewer than four operations still meets all cases; one of its operations
 * then meets more.
 */
export function shareOut(
  all: readonly Operation[],
  groupOf: Group = bySurface,
): <Case>(operation: Operation, cases: readonly Case[]) => readonly Case[] {
  const places = placesIn(all, groupOf);
  return (operation, cases) => {
    const { place, size } = places.get(operation) ?? { place: 0, size: 1 };
    const parts = Math.min(size, NEIGHBOURS, cases.length);
    return cases.filter((_, index) => index % parts === place % parts);
  };
}

/**
 * The operations for each cell of a square of `side` rows and columns. Over the whole square every operation meets every row and every
 * column, and every cell has an operation of each group.
 */
export function layInSquare(
  all: readonly Operation[],
  groupOf: Group,
  side: number,
): (row: number, column: number) => readonly Operation[] {
  const places = placesIn(all, groupOf);
  return (row, column) =>
    all.filter((operation) => {
      const { place, size } = places.get(operation) ?? { place: 0, size: 1 };
      return (place + row + column) % Math.min(size, side) === 0;
    });
}

/**
 * The values for each field. Fields of one surface, or of one format of refusals, with the same schema are checked by the same code: the first of them gets all
 * values, each other one of them, in turn.
 */
export function shareAmongEqual(): <Value>(
  values: readonly Value[],
  ...schema: readonly unknown[]
) => readonly Value[] {
  const checked = new Map<string, number>();
  return (values, ...schema) => {
    const key = JSON.stringify([values, schema]);
    const times = checked.get(key) ?? 0;
    checked.set(key, times + 1);
    const next = (times - 1) % values.length;
    return times === 0 ? values : values.slice(next, next + 1);
  };
}

interface Place {
  readonly place: number;
  readonly size: number;
}

function placesIn(all: readonly Operation[], groupOf: Group): ReadonlyMap<Operation, Place> {
  const groups = new Map<string, Operation[]>();
  for (const each of all) groups.set(groupOf(each), [...(groups.get(groupOf(each)) ?? []), each]);
  return new Map(
    [...groups.values()].flatMap((group) => group.map((each, place) => [each, { place, size: group.length }] as const)),
  );
}
