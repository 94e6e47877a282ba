/** A postal address as it stands on a parcel. */

/** The lines that are filled in. */
export function addressLines(address: object): string[] {
  const parts = address as Readonly<Record<string, unknown>>;
  const text = (...names: string[]) =>
    names
      .map((name) => parts[name])
      .filter(Boolean)
      .join(' ');
  return [
    text('address_line_1'),
    text('address_line_2'),
    text('address_line_3'),
    townLine(text),
    text('country'),
  ].filter(Boolean);
}

/** With a state: `San Francisco, CA 94110`. Without: `5013 Bergen`. */
function townLine(text: (...names: string[]) => string): string {
  const state = text('administrative_district_level_1', 'postal_code');
  if (text('administrative_district_level_1') === '') return text('postal_code', 'locality');
  return [text('locality'), state].filter(Boolean).join(', ');
}
