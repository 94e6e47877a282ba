/** Responses that are printed as text, without objects. */
import { LIST_SEPARATOR } from '../base/json.js';

/**
 * A response that is already JSON text. Views on hot paths print their model themselves. The schema still documents the
 * response, and the contract tests validate the text against it.
 */
export class Printed {
  readonly text: string | Buffer;

  constructor(text: string | Buffer) {
    this.text = text;
  }
}

/**
 * The bytes of a list response: the elements under each of the keys, and the cursor. Without keys the response is an array.
 * A page can have a megabyte, so the parts are encoded without being joined into one string first.
 */
export function printList(
  items: readonly Printed[],
  keys: readonly string[] | undefined,
  cursor: string | undefined,
): Buffer {
  const list = ['[', ...items.flatMap(({ text }, index) => (index === 0 ? [text] : [LIST_SEPARATOR, text])), ']'];
  if (!keys) return encode(list);
  const lists = keys.flatMap((key, index) => [`${index === 0 ? '{' : ','}"${key}":`, ...list]);
  return encode([...lists, cursor === undefined ? '}' : `,"cursor":"${cursor}"}`]);
}

function encode(parts: readonly (string | Buffer)[]): Buffer {
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let end = 0;
  for (const part of parts) end += typeof part === 'string' ? bytes.write(part, end) : part.copy(bytes, end);
  return bytes;
}
