/** The module `virtual:operations`: name, method and path of each operation that pages call, computed from src/operations.ts. */
import type { Plugin } from 'vite';
import type { Operation } from '../../src/api/operation.js';

const COMPILED = '../../dist/operations.js';

export function operations(): Plugin {
  return {
    name: 'operations',
    resolveId: { filter: { id: /^virtual:operations$/ }, handler: (id) => `\0${id}` },
    load: {
      filter: { id: /^\0virtual:operations$/ },
      async handler() {
        const { dashboardOperations } = (await import(COMPILED)) as { dashboardOperations: readonly Operation[] };
        return `export const dashboard = ${JSON.stringify(printOperations(dashboardOperations))};`;
      },
    },
  };
}

/** Only what a browser needs: neither handlers nor schemas. */
function printOperations(declared: readonly Operation[]): Record<string, object> {
  return Object.fromEntries(declared.map(({ name, method, path }) => [name, { name, method, path }]));
}
