/** Values that survive reload and power-off, and that all tabs of a device share. */
import { createStore, type Store } from '../../../client/store.js';
import { type Access, LocalDatabase } from './local-database.js';
import { announce, onAnnounced } from './tabs.js';

export const local = new LocalDatabase('tillhouse-register');

export interface Kept<Value> extends Pick<Store<Value>, 'get' | 'subscribe' | 'set'> {
  /** Resolves when the value is on the disk. `set` does not wait for that. */
  save(value: Value): Promise<void>;
  load(): Promise<void>;
  /** Saves the value in a larger transaction. Call `load` afterwards. */
  saveIn(access: Access, value: Value): Promise<unknown>;
}

const all: Kept<never>[] = [];

export function createKept<Value>(name: string, first: Value): Kept<Value> {
  const store = createStore(first);
  let changes = 0;
  const saveIn = (access: Access, value: Value): Promise<unknown> =>
    value === undefined ? access.delete('kept', name) : access.put('kept', value, name);
  const save = async (value: Value): Promise<void> => {
    changes++;
    store.set(value);
    await local.write(['kept'], (access) => saveIn(access, value));
    announce(name);
  };
  const load = async (): Promise<void> => {
    const before = changes;
    const value = await local.read(['kept'], (access) => access.get<Value>('kept', name));
    // A value that was set meanwhile is newer, and is being written to the disk.
    if (changes === before) store.set(value ?? first);
  };
  onAnnounced(name, () => void load());
  const kept = {
    get: store.get,
    subscribe: store.subscribe,
    set: (value: Value) => void save(value),
    save,
    load,
    saveIn,
  };
  all.push(kept as unknown as Kept<never>);
  return kept;
}

export async function loadAllKept(): Promise<void> {
  await Promise.all(all.map((kept) => kept.load()));
}
