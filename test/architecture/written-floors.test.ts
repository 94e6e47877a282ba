/** The floors that docs/ARCHITECTURE.md describes are those of the tables that the tests use. */
import { describe, expect, it } from 'vitest';
import { FLOORS, MAY_IMPORT } from './floors.js';
import { readText } from './sources.js';

/** What the section "Who may import whom" says of the floors, from the top down. */
interface WrittenFloors {
  readonly rooms: readonly (readonly string[])[];
  /** Rooms beside the floors, and all that they import of others. */
  readonly beside: Readonly<Record<string, readonly string[]>>;
  /** Rooms above all floors. */
  readonly above: readonly string[];
  readonly resources: readonly (readonly string[])[];
}

function readWrittenFloors(page: string): WrittenFloors {
  const section = /^## Who may import whom$([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
  const [, rooms = ''] = /^- \*\*Floors\*\*, from the top: ([^.]*)\./m.exec(section) ?? [];
  const [, resources = ''] = /^- \*\*Floors of business\*\*, from the top: ([^.]*)\./m.exec(section) ?? [];
  const namesIn = (text: string) => [...text.matchAll(/`([\w-]+)\/?`/g)].map(([, name = '']) => name);
  const beside = [...section.matchAll(/`(\w+)\/` imports only ((?:`\w+\/`(?:, | and )?)+)/g)];
  const [, above = ''] = /Above all floors are ([^.:]*)/.exec(section) ?? [];
  return {
    rooms: rooms.split('; ').map(namesIn),
    beside: Object.fromEntries(beside.map(([, room = '', list = '']) => [room, namesIn(list)])),
    above: namesIn(above),
    resources: resources.split('; ').map((floor) => floor.split(', ')),
  };
}

/** Where the page and the tables differ. */
function differencesOf(page: string): string[] {
  const written = readWrittenFloors(page);
  return [...differentRooms(written), ...wrongImports(written), ...differentResources(written)];
}

function differentRooms({ rooms, beside, above }: WrittenFloors): string[] {
  const folders = Object.keys(MAY_IMPORT).filter((room) => !room.endsWith('.ts'));
  const written = [...rooms.flat(), ...Object.keys(beside), ...above];
  return [
    ...folders.filter((room) => !written.includes(room)).map((room) => `${room} is not on the page`),
    ...written.filter((room) => !folders.includes(room)).map((room) => `${room} is not in the table`),
    ...written.filter((room, index) => written.indexOf(room) < index).map((room) => `${room} is on the page twice`),
  ];
}

function wrongImports({ rooms, beside }: WrittenFloors): string[] {
  const importsOf = (room: string) => (MAY_IMPORT[room] ?? []).filter((to) => to !== room && !to.endsWith('.ts'));
  return [
    ...rooms.flatMap((floor, index) => {
      const below = rooms.slice(index + 1).flat();
      return floor.flatMap((room) =>
        importsOf(room)
          .filter((to) => !below.includes(to))
          .map((to) => `${room} imports ${to}`),
      );
    }),
    ...Object.entries(beside)
      .filter(([room, list]) => !isSame(list, importsOf(room)))
      .map(([room]) => `${room} imports ${importsOf(room).join(', ')}`),
  ];
}

function differentResources({ resources }: WrittenFloors): string[] {
  const floors = [...FLOORS].reverse();
  return Array.from({ length: Math.max(floors.length, resources.length) }, (_, index) => index)
    .filter((index) => !isSame(floors[index] ?? [], resources[index] ?? []))
    .map((index) => `floor ${index + 1} of business from the top: ${floors[index]?.join(', ')}`);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return [...a].sort().join() === [...b].sort().join();
}

describe('the floors in docs/ARCHITECTURE.md', () => {
  /** A point of a list may go on in the next line. */
  const page = readText('docs/ARCHITECTURE.md').replaceAll(/\n {2}/g, ' ');

  it('are those of the tables', () => {
    expect(differencesOf(page)).toEqual([]);
  });

  it.each([
    ['two rooms in the wrong order', '`access`; `events`;', '`events`; `access`;'],
    ['a missing room', '`worker`; ', ''],
    ['a room that is not there', '`worker`; ', '`worker`; `attic`; '],
    ['a room above all floors that is missing', 'Above all floors are `server/`, ', 'Above all floors are '],
    ['a room beside the floors that imports more', '`tracing/` imports only `base/`', '`tracing/` imports only `api/`'],
    ['two resources in the wrong order', 'refunds, holds; payments;', 'payments; refunds, holds;'],
    ['a missing resource', 'queue; tills;', 'tills;'],
    ['a resource that is not there', 'queue; tills;', 'queue; gadgets; tills;'],
  ])('are compared: %s', (_, from, to) => {
    const broken = page.replace(from, to);
    expect(broken === page).toBe(false);
    expect(differencesOf(broken)).not.toEqual([]);
  });
});
