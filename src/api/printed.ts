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

/** The text of a list's body: the elements under each of the keys, and the cursor; a bare array without keys. */
export function printList(items: readonly Printed[], keys: readonly string[] | undefined, cursor: string | undefined) {
  const list = `[${items.map(({ text }) => text).join(',')}]`;
  if (!keys) return new Printed(list);
  const lists = keys.map((key) => `"${key}":${list}`).join(',');
  return new Printed(`{${lists}${cursor === undefined ? '' : `,"cursor":"${cursor}"`}}`);
}
