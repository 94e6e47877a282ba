/**
 * The operations of the published interface, of which this server has a part. So a program learns that an operation is missing, and does not
 * take it for a record that is missing. The list is that of the published clients: a test writes it.
 */
import { readFileSync } from 'node:fs';

export interface PublishedOperation {
  /** As the clients call it, such as `orders.create`. */
  readonly name: string;
  readonly method: string;
  /** Such as `/v2/orders/{order_id}`. */
  readonly path: string;
}

interface Known extends PublishedOperation {
  readonly pattern: RegExp;
}

let known: readonly Known[] | undefined;

/** Each line has name, method and path. Paths without parameters come first, because `/v2/orders/search` is no order. */
function readList(): readonly Known[] {
  const text = readFileSync(new URL('./published-operations.txt', import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line): Known => {
      const [name = '', method = '', path = ''] = line.split(' ');
      return { name, method, path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) };
    })
    .sort((one, other) => countParameters(one.path) - countParameters(other.path));
}

export function countParameters(path: string): number {
  return path.split('{').length;
}

/** `path` is that of a request, without the query. */
export function findPublished(method: string, path: string): PublishedOperation | undefined {
  known ??= readList();
  return known.find((each) => each.method === method && each.pattern.test(path));
}
