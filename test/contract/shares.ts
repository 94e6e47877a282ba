/**
 * Spreads cases over operations. Where one piece of code serves all operations of a group, such as the parser of bodies, every operation
 * need not meet every case: each meets a part, in rotation, and any few neighbours in a group meet them all (decision 0172).
 */
import type { Operation } from '../../src/api/operation.js';
import { isLong } from '../support/long.js';

/** How many neighbouring operations share the cases. */
const NEIGHBOURS = isLong ? 4 : 8;

type Group = (operation: Operation) => string;

/** The format of refusals and the authentication depend on the surface. */
const bySurface: Group = ({ surface }) => surface;

/**
 * The part of the cases for each of these operations. A group of fewer operations than share the cases still meets all of them; its
 * operations then meet more.
 */
export function createCaseSelector(
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

/** The operations in groups of neighbours, for checks that are too slow to be repeated for each operation. */
export function inNeighbourhoods(
  all: readonly Operation[],
  groupOf: Group = bySurface,
): readonly (readonly Operation[])[] {
  return [...groupsOf(all, groupOf).values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / NEIGHBOURS) }, (_, index) =>
      group.slice(index * NEIGHBOURS, (index + 1) * NEIGHBOURS),
    ),
  );
}

/**
 * The operations for each cell of a square of `side` rows and columns. Every cell has an operation of each group. Over the whole square
 * every operation of a small group is in every row and every column. In a large group two operations are so together: one in the even
 * rows, the other in the odd rows. In the long form of the tests, each of them is in all.
 */
export function coverPairs(
  all: readonly Operation[],
  groupOf: Group,
  side: number,
): (row: number, column: number) => readonly Operation[] {
  const places = placesIn(all, groupOf);
  return (row, column) =>
    all.filter((operation) => {
      const { place, size } = places.get(operation) ?? { place: 0, size: 1 };
      if ((place + row + column) % Math.min(size, side) !== 0) return false;
      return isLong || size < 2 * side || Math.floor(place / side) % 2 === row % 2;
    });
}

/**
 * The values for each field. Fields of one surface, or of one format of refusals, with the same schema are checked by the same code: the
 * first of them gets all values, each other one of them, in turn. If `every` is greater than 1, only every so many of the others get one.
 */
export function shareAmongEqual(
  every = 1,
): <Value>(values: readonly Value[], ...schema: readonly unknown[]) => readonly Value[] {
  const checked = new Map<string, number>();
  return (values, ...schema) => {
    const key = JSON.stringify([values, schema]);
    const times = checked.get(key) ?? 0;
    checked.set(key, times + 1);
    if (times === 0) return values;
    const next = (times / every - 1) % values.length;
    return times % every === 0 ? values.slice(next, next + 1) : [];
  };
}

interface Place {
  readonly place: number;
  readonly size: number;
}

function groupsOf(all: readonly Operation[], groupOf: Group): ReadonlyMap<string, readonly Operation[]> {
  const groups = new Map<string, Operation[]>();
  for (const each of all) groups.set(groupOf(each), [...(groups.get(groupOf(each)) ?? []), each]);
  return groups;
}

function placesIn(all: readonly Operation[], groupOf: Group): ReadonlyMap<Operation, Place> {
  return new Map(
    [...groupsOf(all, groupOf).values()].flatMap((group) =>
      group.map((each, place) => [each, { place, size: group.length }] as const),
    ),
  );
}
