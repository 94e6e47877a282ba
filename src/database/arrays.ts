/** Prints and parses arrays of text in PostgreSQL's format: `{a,"b, c"}`. */

/** Quotes every item, so that no character has a special meaning. */
export function printArray(items: readonly (string | null)[]): string {
  const printed = items.map((item) => (item === null ? 'null' : `"${item.replaceAll(/["\\]/g, '\\$&')}"`));
  return `{${printed.join()}}`;
}

const ITEMS = /"((?:[^"\\]|\\.)*)"|[^,{}]+/gs;

/** Parses arrays with one dimension and without nulls. The tables contain no others. */
export function parseArray(text: string): string[] {
  if (text === '{}') return [];
  if (!text.includes('"')) return text.slice(1, -1).split(',');
  return Array.from(text.matchAll(ITEMS), ([plain, quoted]) => quoted?.replaceAll(/\\(.)/gs, '$1') ?? plain);
}
