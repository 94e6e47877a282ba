/** The modules `virtual:operations/<surface>`: name, method and path of each operation that pages call, computed from src/operations.ts. */
import type { Plugin } from 'vite';
import type { Operation } from '../../src/api/operation.js';

const COMPILED = '../../dist/operations.js';

/** One module for each place, so that a page contains only the operations of its own surface. */
const SURFACES = {
  dashboard: 'dashboardOperations',
  register: 'registerOperations',
  checkout: 'checkoutOperations',
  sandbox: 'sandboxOperations',
} as const;

type Surface = keyof typeof SURFACES;

export function operations(): Plugin {
  return {
    name: 'operations',
    resolveId: { filter: { id: /^virtual:operations\// }, handler: (id) => `\0${id}` },
    load: {
      filter: { id: /^\0virtual:operations\// },
      async handler(id) {
        const surface = id.slice(id.lastIndexOf('/') + 1) as Surface;
        const declared = (await import(COMPILED)) as Record<string, readonly Operation[]>;
        return `export const declared = ${JSON.stringify(printOperations(declared[SURFACES[surface]] ?? []))};`;
      },
    },
  };
}

/** Only what a browser needs: neither handlers nor schemas. */
function printOperations(declared: readonly Operation[]): Record<string, object> {
  return Object.fromEntries(declared.map(({ name, method, path }) => [name, { name, method, path }]));
}
