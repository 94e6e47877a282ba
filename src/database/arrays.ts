/** Arrays of texts as PostgreSQL writes and reads them: `{a,"b, c"}`. */

/** Every item in quotes, so that nothing in it means anything. */
export function printArray(items: readonly (string | null)[]): string {
  const printed = items.map((item) => (item === null ? 'null' : `"${item.replaceAll(/["\\]/g, '\\$&')}"`));
  return `{${printed.join()}}`;
}

const ITEMS = /"((?:[^"\\]|\\.)*)"|[^,{}]+/gs;

/** Of one dimension and without nulls: no column of ours holds others. */
export function parseArray(text: string): string[] {
  if (text === '{}') return [];
  if (!text.includes('"')) return text.slice(1, -1).split(',');
  return Array.from(text.matchAll(ITEMS), ([plain, quoted]) => quoted?.replaceAll(/\\(.)/gs, '$1') ?? plain);
}
