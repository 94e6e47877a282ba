/** Asks the browser not to delete the data of the register when its disk is full. */
import { createStore } from '../../../client/store.js';

/** Undefined until the browser has been asked. */
export const isPersistent = createStore<boolean | undefined>(undefined);

export async function askToPersist(): Promise<void> {
  isPersistent.set((await navigator.storage?.persist?.()) ?? false);
}

export async function checkPersistence(): Promise<void> {
  isPersistent.set((await navigator.storage?.persisted?.()) ?? false);
}
