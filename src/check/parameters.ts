/** Lists of ids as parameters of statements. */

/** Ids of records, grouped by their merchant. */
export class IdSet {
  readonly #ids = new Map<string, Set<string>>();
  size = 0;

  add(merchantId: string, id: string): boolean {
    const ids = this.#ids.get(merchantId) ?? new Set();
    if (ids.has(id)) return false;
    this.#ids.set(merchantId, ids.add(id));
    this.size++;
    return true;
  }

  addAll(rows: readonly { readonly merchantId: string; readonly id: string }[]): void {
    for (const { merchantId, id } of rows) this.add(merchantId, id);
  }

  *[Symbol.iterator](): Generator<readonly [merchantId: string, id: string]> {
    for (const [merchantId, ids] of this.#ids) for (const id of ids) yield [merchantId, id];
  }
}

/** Collects the parameters of a statement. Each method returns how the statement names one; PostgreSQL refuses one that is not named. */
export class Parameters {
  readonly values: string[] = [];

  text(value: string): string {
    const place = this.values.indexOf(value);
    return `$${place < 0 ? this.values.push(value) : place + 1}::text`;
  }

  array(items: Iterable<string>): string {
    return `${this.text(toArray(items))}::text[]`;
  }

  /** Rows with `merchant_id` and `id`. PostgreSQL counts the items before it plans. */
  rows(ids: IdSet): string {
    const all = [...ids];
    return `unnest(${this.array(all.map(([merchantId]) => merchantId))}, ${this.array(all.map(([, id]) => id))}) as k (merchant_id, id)`;
  }
}

function toArray(items: Iterable<string>): string {
  return `{${Array.from(items, (item) => `"${item.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
}
