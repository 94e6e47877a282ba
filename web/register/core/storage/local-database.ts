/** A small layer over IndexedDB: one database, transactions as functions, and writes that are on the disk when they are done. */

/**
 * `kept`: values by name. `writes`: what waits to be sent, or was refused, in order. `sent`: the responses to the last writes.
 * `verifiers`: who may sign in offline.
 */
export type StoreName = 'kept' | 'writes' | 'sent' | 'verifiers';

const VERSION = 1;

export class LocalDatabase {
  readonly #name: string;
  #opened: Promise<IDBDatabase> | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  read<Result>(stores: readonly StoreName[], work: (access: Access) => Promise<Result>): Promise<Result> {
    return this.#run(stores, 'readonly', work);
  }

  /** Saves all changes of `work` or none. Resolves when the browser has written them to the disk. */
  write<Result>(stores: readonly StoreName[], work: (access: Access) => Promise<Result>): Promise<Result> {
    return this.#run(stores, 'readwrite', work);
  }

  async close(): Promise<void> {
    (await this.#opened)?.close();
    this.#opened = undefined;
  }

  async #run<Result>(
    stores: readonly StoreName[],
    mode: 'readonly' | 'readwrite',
    work: (access: Access) => Promise<Result>,
  ): Promise<Result> {
    this.#opened ??= this.#open();
    const transaction = (await this.#opened).transaction([...stores], mode, { durability: 'strict' });
    const isDone = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error('a change of local data was not saved'));
    });
    try {
      const result = await work(new Access(transaction));
      await isDone;
      return result;
    } catch (error) {
      isDone.catch(() => {});
      if (mode === 'readwrite') abort(transaction);
      throw error;
    }
  }

  async #open(): Promise<IDBDatabase> {
    const request = indexedDB.open(this.#name, VERSION);
    request.onupgradeneeded = () => {
      const { result } = request;
      result.createObjectStore('kept');
      result
        .createObjectStore('writes', { keyPath: 'order', autoIncrement: true })
        .createIndex('id', 'id', { unique: true });
      result.createObjectStore('sent', { keyPath: 'id' }).createIndex('sentAt', 'sentAt');
      result.createObjectStore('verifiers', { keyPath: 'employeeId' });
    };
    const database = await toPromise(request);
    // A newer version of the page, or a browser that clears its data, needs the database for itself.
    database.onversionchange = () => database.close();
    database.onclose = () => {
      this.#opened = undefined;
    };
    return database;
  }
}

/** Reads and writes inside one transaction. The transaction ends when no request of it is awaited, so await nothing else in between. */
export class Access {
  readonly #transaction: IDBTransaction;

  constructor(transaction: IDBTransaction) {
    this.#transaction = transaction;
  }

  get<Value>(store: StoreName, key: IDBValidKey): Promise<Value | undefined> {
    return toPromise(this.#transaction.objectStore(store).get(key));
  }

  find<Value>(store: StoreName, index: string, key: IDBValidKey): Promise<Value | undefined> {
    return toPromise(this.#transaction.objectStore(store).index(index).get(key));
  }

  all<Value>(store: StoreName, index?: string): Promise<Value[]> {
    const source = this.#transaction.objectStore(store);
    return toPromise(index === undefined ? source.getAll() : source.index(index).getAll());
  }

  /** The key is given only for the store `kept`. Returns the key. */
  put(store: StoreName, value: unknown, key?: IDBValidKey): Promise<IDBValidKey> {
    return toPromise(this.#transaction.objectStore(store).put(value, key));
  }

  delete(store: StoreName, key: IDBValidKey): Promise<void> {
    return toPromise(this.#transaction.objectStore(store).delete(key));
  }

  clear(store: StoreName): Promise<void> {
    return toPromise(this.#transaction.objectStore(store).clear());
  }
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // it has ended already
  }
}

function toPromise<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
