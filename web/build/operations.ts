/**
 * The modules `virtual:operations/<surface>`: name, method and path of each operation that pages call, computed from src/operations.ts. One
 * for each place, so that a page contains only the operations of its own surface.
 */
import type { Plugin } from 'vite';
import type { Operation, Surface } from '../../src/api/operation.js';

const COMPILED = '../../dist/operations.js';

interface Compiled {
  readonly operationsOn: (surface: Surface) => readonly Operation[];
}

export function operations(): Plugin {
  return {
    name: 'operations',
    resolveId: { filter: { id: /^virtual:operations\// }, handler: (id) => `\0${id}` },
    load: {
      filter: { id: /^\0virtual:operations\// },
      async handler(id) {
        const surface = id.slice(id.lastIndexOf('/') + 1) as Surface;
        const { operationsOn } = (await import(COMPILED)) as Compiled;
        return `export const declared = ${JSON.stringify(printOperations(operationsOn(surface)))};`;
      },
    },
  };
}

/** Only what a browser needs: neither handlers nor schemas. */
function printOperations(declared: readonly Operation[]): Record<string, object> {
  return Object.fromEntries(declared.map(({ name, method, path }) => [name, { name, method, path }]));
}
