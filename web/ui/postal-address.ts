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
    text('postal_code', 'locality', 'administrative_district_level_1'),
    text('country'),
  ].filter(Boolean);
}
