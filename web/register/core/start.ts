/** Starts the register: reads what this device keeps, and then loads newer data from the server, if it responds. */
import { responds } from './call.js';
import { refreshCatalogue } from './catalogue.js';
import { watchClock } from './clock.js';
import { isOnline, watchConnection } from './connection.js';
import { device, refreshDevice } from './device.js';
import { refreshDrawer, watchDrawer } from './drawer.js';
import { watchIdleness } from './idle-lock.js';
import { attendant, refreshTeam, restoreAttendant } from './people.js';
import { watchQueue } from './queue.js';
import { isSecure } from './secure.js';
import { loadAllKept } from './storage/kept.js';
import { checkPersistence } from './storage/persistence.js';
import { watchTimecard } from './timecard.js';
import { registerServiceWorker } from './update.js';

const REFRESH_MS = 60_000;

/** Resolves when all that this device keeps has been read. Needs no network. */
export async function startRegister(): Promise<void> {
  if (!isSecure()) return;
  await loadAllKept();
  await restoreAttendant();
  watchConnection(responds);
  watchClock();
  watchIdleness();
  watchDrawer();
  watchTimecard();
  await watchQueue();
  device.subscribe(refreshOnce);
  isOnline.subscribe(() => isOnline.get() && void refresh());
  attendant.subscribe(() => void refreshDrawer().catch(() => {}));
  setInterval(() => isOnline.get() && !document.hidden && void refresh(), REFRESH_MS);
  void refresh();
  void registerServiceWorker().catch(() => {}); // without it the register works, but does not start offline
  void checkPersistence();
}

let refreshed: string | undefined;

/** Loads everything for a device that has just been paired. */
function refreshOnce(): void {
  const token = device.get()?.token;
  if (token === refreshed) return;
  refreshed = token;
  void refresh();
}

/** What fails to load is loaded again later. */
async function refresh(): Promise<void> {
  const current = device.get();
  if (!current) return;
  refreshed = current.token;
  await refreshDevice().catch(() => {});
  if (isOnline.get()) await Promise.allSettled([refreshTeam(), refreshCatalogue(), refreshDrawer()]);
}
