/** The floors of src/: which folder may use which, and which resource of business/ which other one. */
import { layerOf } from './sources.js';

/** docs/ARCHITECTURE.md, "Who may import whom", room by room. A new folder needs a row. */
const GROUND = ['base', 'database', 'identity', 'processor', 'api', 'events'];
const HOUSE = [...GROUND, 'access', 'business', 'worker', 'sandbox', 'demo'];
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: ['base'],
  // Functions in the database are printed from the list of tables (decision 0255).
  database: ['base', 'database', 'tables.ts'],
  'tables.ts': ['identity', 'processor', 'events', 'access', 'business'],
  processor: ['base', 'database', 'processor'],
  identity: ['base', 'database', 'identity'],
  // An operation's context holds the caller and the processor.
  api: ['base', 'database', 'identity', 'processor', 'api'],
  events: ['base', 'database', 'identity', 'api', 'events'],
  // Revoking an authorization publishes an event.
  access: ['base', 'database', 'identity', 'api', 'events', 'access'],
  business: [...GROUND, 'access', 'business'],
  worker: [...GROUND, 'access', 'business', 'worker'],
  // Moving a clock runs the due work. Causing an event sends requests to this server.
  sandbox: [...GROUND, 'access', 'business', 'worker', 'sandbox', 'sandbox-client.ts'],
  demo: [...GROUND, 'access', 'business', 'demo'],
  // Shares nothing with the code that writes, so that a mistake there is not repeated here.
  check: ['database', 'check'],
  // Knows tables and files, and nothing of what is in them.
  backup: ['base', 'database', 'backup'],
  // Counts what the rooms tell it, and reads what waits.
  metrics: ['base', 'database', 'identity', 'events', 'metrics'],
  tracing: ['base', 'tracing'],
  'operations.ts': HOUSE,
  'sandbox-client.ts': [],
  // Stands outside of a server, and knows its HTTP only.
  recording: ['base', 'sandbox', 'recording'],
  // Puts everything together.
  server: [...HOUSE, 'metrics', 'tracing', 'operations.ts', 'server'],
  cli: [...HOUSE, 'backup', 'check', 'cli', 'recording', 'server', 'testing', 'operations.ts', 'sandbox-client.ts'],
  // Starts servers and calls them.
  testing: ['base', 'database', 'server', 'sandbox-client.ts', 'testing'],
  'main.ts': ['cli', 'base'],
  'kit-server.ts': ['testing'],
  'keeper.ts': ['database'],
};

/** Resources from the lowest floor up. Resources of one floor do not import each other. */
export const FLOORS = [
  ['movements', 'due-work', 'idempotency', 'receipts', 'tenders', 'pictures'],
  ['figures'],
  ['merchants', 'roles', 'bank-accounts'],
  ['employees', 'settlements', 'stores', 'catalogue', 'reports'],
  ['cash-drawers', 'timecards'],
  ['sales', 'attendants'],
  ['payments'],
  ['refunds', 'holds'],
  ['paid-sales', 'reconciliation'],
  ['tills'],
  // Runs the writes of all rooms that a register has.
  ['queue'],
  ['orders'],
  ['buyers', 'archive'],
  // Its functions run the steps of all other rooms.
  ['changes'],
];

export function resourceOf(path: string): string {
  return path.split('/')[1] ?? '';
}

export function floorOf(path: string): number {
  return FLOORS.findIndex((floor) => floor.includes(resourceOf(path)));
}

/** Whether the file `from` may use what the file `to` has: of its own room, or of a lower floor. */
export function mayUse(from: string, to: string): boolean {
  if (!MAY_IMPORT[layerOf(from)]?.includes(layerOf(to))) return false;
  if (layerOf(from) !== 'business' || layerOf(to) !== 'business') return true;
  return resourceOf(to) === resourceOf(from) || floorOf(to) < floorOf(from);
}
