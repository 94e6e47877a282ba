/** JSON of which there is one text only: without spaces, members sorted by name. So two sides sign the same bytes. Pure. */
export function printCanonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(printCanonicalJson).join()}]`;
  const record = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(record).filter((name) => record[name] !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${printCanonicalJson(record[name])}`)
    .join()}}`;
}
