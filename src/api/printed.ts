/**
 * Answers that are JSON text already. A view may print its model itself where that is a hot path; the schema still
 * documents it, and the contract tests hold the text to the schema.
 */
export class Printed {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * The bytes of a list's body: the elements under each of the keys, and the cursor; a bare array without keys. A page may
 * be a megabyte, so it is not joined into one text first, only to be encoded and thrown away.
 */
export function printList(
  items: readonly Printed[],
  keys: readonly string[] | undefined,
  cursor: string | undefined,
): Buffer {
  const list = ['[', ...items.map(({ text }, index) => (index === 0 ? text : `,${text}`)), ']'];
  if (!keys) return encode(list);
  const lists = keys.flatMap((key, index) => [`${index === 0 ? '{' : ','}"${key}":`, ...list]);
  return encode([...lists, cursor === undefined ? '}' : `,"cursor":"${cursor}"}`]);
}

function encode(parts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let end = 0;
  for (const part of parts) end += bytes.write(part, end);
  return bytes;
}
