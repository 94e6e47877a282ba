/** The writes in the browser's database. Each change is on the disk before anything else happens. */
import { type Cart, isEmpty } from '../cart.js';
import type { Access, LocalDatabase } from '../storage/local-database.js';
import { type QueuedWrite, type SentWrite, type WriteError, withoutSources } from './model.js';

/** Saves kept values in the same transaction as the write with this id. */
export type Alongside = (access: Access, id: string) => Promise<unknown>;

/** Enough to find the id that the server gave to a sale or a shift of the last days. */
const MAX_SENT = 500;

export class StoredWrites {
  readonly #database: LocalDatabase;

  constructor(database: LocalDatabase) {
    this.#database = database;
  }

  /** In the order in which they were made, with those that were refused. */
  list(): Promise<QueuedWrite[]> {
    return this.#database.read(['writes'], (access) => access.all<QueuedWrite>('writes'));
  }

  async listWaiting(): Promise<QueuedWrite[]> {
    return (await this.list()).filter(({ error }) => error === undefined);
  }

  /**
   * Resolves when the write is on the disk. With `taken`, the cart is replaced in the same transaction; the result is undefined if another
   * tab has charged the cart meanwhile. `alongside` saves other values in this transaction.
   */
  add(
    write: Omit<QueuedWrite, 'order'>,
    taken?: { cart: Cart; next: Cart },
    alongside?: Alongside,
  ): Promise<QueuedWrite | undefined> {
    return this.#database.write(['writes', 'kept'], async (access) => {
      if (taken && (await access.get<Cart>('kept', 'cart'))?.id !== taken.cart.id) return undefined;
      const stored = { ...write, ...(taken && { cart: taken.cart }) };
      const order = Number(await access.put('writes', stored));
      if (taken) await access.put('kept', taken.next, 'cart');
      await alongside?.(access, write.id);
      return { ...stored, order };
    });
  }

  findSent(id: string): Promise<SentWrite | undefined> {
    return this.#database.read(['sent'], (access) => access.get<SentWrite>('sent', id));
  }

  /** The server has accepted the write. With an error it also stays in the list, for a person to see. */
  async moveToSent(write: QueuedWrite, response: unknown, error?: WriteError): Promise<void> {
    await this.#database.write(['writes', 'sent'], async (access) => {
      const sent: SentWrite = { id: write.id, operation: write.operation, response, sentAt: Date.now() };
      await access.put('sent', sent);
      await removeOldest(access);
      if (error) await access.put('writes', { ...withoutSources(write), error, response });
      else await access.delete('writes', write.order);
    });
  }

  /** The server has refused the write. The sources of its cards are not needed any more. */
  async moveToRefused(write: QueuedWrite, error: WriteError): Promise<void> {
    await this.#database.write(['writes'], (access) => access.put('writes', { ...withoutSources(write), error }));
  }

  /** The server has failed to decide about the write, so the same write has to be sent again. */
  async setAside(write: QueuedWrite, error: WriteError): Promise<void> {
    await this.#database.write(['writes'], (access) => access.put('writes', { ...write, error }));
  }

  /** Removes the write as if it had never been made. The cart that it took comes back, unless another cart has something in it. */
  async takeBack({ order, cart }: QueuedWrite): Promise<void> {
    await this.#database.write(['writes', 'kept'], async (access) => {
      await access.delete('writes', order);
      if (!cart) return;
      const current = await access.get<Cart>('kept', 'cart');
      const isRest = current?.id === cart.id;
      if (!current || isRest || isEmpty(current)) await access.put('kept', cart, 'cart');
    });
  }

  async countFailure(write: QueuedWrite): Promise<QueuedWrite> {
    const counted = { ...write, failures: write.failures + 1 };
    await this.#database.write(['writes'], (access) => access.put('writes', counted));
    return counted;
  }

  /** For a write that a person wants to send again. It keeps its place and its id. */
  async retry(id: string): Promise<void> {
    await this.#database.write(['writes'], async (access) => {
      const found = await access.find<QueuedWrite>('writes', 'id', id);
      if (!found) return;
      const { error: _, ...write } = found;
      await access.put('writes', { ...write, failures: 0 });
    });
  }

  /** Removes a refused write that a person has dealt with. */
  async discard(id: string): Promise<void> {
    await this.#database.write(['writes'], async (access) => {
      const found = await access.find<QueuedWrite>('writes', 'id', id);
      if (found?.error) await access.delete('writes', found.order);
    });
  }
}

async function removeOldest(access: Access): Promise<void> {
  const all = await access.all<SentWrite>('sent', 'sentAt');
  for (const { id } of all.slice(0, Math.max(0, all.length - MAX_SENT))) await access.delete('sent', id);
}
